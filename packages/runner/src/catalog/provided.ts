import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Provided } from '../executor/executor.ts';
import { findTool } from '../executor/tools.ts';

/** Where an agent finds what filepath brings. */
export const PROVIDED = {
  node: '/opt/filepath/bin/node',
  npmCommand: '/opt/filepath/bin/npm',
  npm: '/opt/filepath/npm',
  agents: '/opt/filepath/agents',
  tools: '/opt/filepath/tools',
} as const;

/** The command of every agent of the catalog but `custom`. */
export const AGENT_COMMAND: readonly string[] = [PROVIDED.node, `${PROVIDED.agents}/agent.mjs`];

const BUNDLE = fileURLToPath(new URL('../../../agents/dist', import.meta.url));

/** Node, npm, the agents' own program and the operator's tools, as agents see them. */
export class ProvidedFiles {
  readonly #tools: string;
  readonly #npm: string | null;

  /** `home`: `$FILEPATH_HOME`. */
  constructor(home: string, env: NodeJS.ProcessEnv) {
    this.#tools = join(home, 'tools');
    this.#npm = npmFolder(env);
  }

  all(): Provided[] {
    return [
      { from: process.execPath, to: PROVIDED.node },
      ...(this.#npm === null ? [] : [{ from: this.#npm, to: PROVIDED.npm }]),
      { from: BUNDLE, to: PROVIDED.agents },
      { from: this.#tools, to: PROVIDED.tools },
    ].filter(({ from }) => existsSync(from));
  }

  /** Why no agent of the catalog can run, or null. `other`: agents have another user than the runner. */
  missing(other: boolean): string | null {
    const program = join(BUNDLE, 'agent.mjs');
    if (!existsSync(program)) {
      return `the program of the agents is not built (${program}): run \`npm run build\``;
    }
    if (!other) return null;
    const shut = [process.execPath, BUNDLE, program].find(
      (path) => (statSync(path).mode & 0o004) === 0,
    );
    if (shut === undefined) return null;
    return `agents may not read ${shut}: run \`chmod -R o+rX ${dirname(shut)}\``;
  }
}

/** The npm of this machine, as a package: `npm start` says where it is. */
export function npmFolder(env: NodeJS.ProcessEnv): string | null {
  for (const found of [env['npm_execpath'], findTool('npm', env)]) {
    if (!found) continue;
    try {
      const program = realpathSync(found);
      if (program.endsWith('/bin/npm-cli.js')) return dirname(dirname(program));
    } catch {
      continue;
    }
  }
  return null;
}
