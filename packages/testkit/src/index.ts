export { type Commit, git, makeRepo } from './git.ts';
export { SCRIPT_AGENTS, scriptAgent, type ScriptAgent } from './script-agent.ts';
export { tempDir, type TempDir } from './temp.ts';
