/** What a program is asked when it is to hand its work over. */
export const HANDOFF_REQUEST = `Stop working now and hand over. Use no tools. Write a summary for whoever goes on with this work:
what was asked, what is done (files, commits), what is left, what you learned, and the next step.`;

/** The first message of a session that goes on with the work of one that was full. */
export function goOnFrom(summary: string, text: string): string {
  return `An earlier session on this work ran out of context. This is what it left:

${summary}

---

${text}`;
}
