/** This process follows a handoff: it begins a new conversation with what it is told first. */
export const isFresh = (env: NodeJS.ProcessEnv): boolean => env['FILEPATH_FRESH'] === '1';
