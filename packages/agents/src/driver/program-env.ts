/** What is for this process alone. */
const OURS = ['FILEPATH_AGENT', 'FILEPATH_TASK', 'FILEPATH_FRESH', 'FILEPATH_SYSTEM_PROMPT'];

/** The environment of a CLI: that of its agent, which the runner has put together. */
export function programEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OURS.includes(name)));
}
