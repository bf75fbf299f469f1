/** What a program is asked when it is to hand its work over. */
export const HANDOFF_REQUEST = `Stop working now and hand over. Use no tools. Write a summary for whoever goes on with this work:
what was asked, what is done (files, commits), what is left, what you learned, and the next step.`;
