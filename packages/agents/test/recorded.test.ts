import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentEvent } from '@filepath/protocol';
import { tempDir } from '@filepath/testkit';
import { describe, expect, it } from 'vitest';
import { AgentProcess } from './agent-process.ts';
import { cliOf } from './clis/clis.ts';
import { scenariosOf } from './of-one.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const BASE_URL = 'http://127.0.0.1:4281/gateway';

describe.each(['claude-code', 'codex', 'opencode', 'qwen', 'claude-acp', 'codex-acp'])(
  '%s, as it was recorded',
  (type) => {
    it.each(scenariosOf(type).filter(({ live }) => !live))('[DRV1] $name', async (scenario) => {
      const { entry, program } = cliOf(type);
      using room = tempDir('filepath-replay');
      const [workspace, home, bin] = ['workspace', 'home', 'bin'].map((name) => {
        const path = join(room.path, name);
        mkdirSync(path);
        return path;
      }) as [string, string, string];
      symlinkSync(join(HERE, 'replay/replay.mjs'), join(bin, program));
      const agent = new AgentProcess({
        entry,
        cwd: workspace,
        env: {
          PATH: `${bin}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
          HOME: home,
          FILEPATH_MODEL: cliOf(type).model,
          FILEPATH_BASE_URL: BASE_URL,
          FILEPATH_API_KEY: 'fpk_replayed',
          FILEPATH_PERMISSIONS: scenario.permissions ?? 'allow',
          CLI_REPLAY: join(HERE, 'recorded', type, scenario.name),
        },
      });
      await scenario.play(agent);
      await agent.end();
      const said = readable(agent.events(), workspace);
      await expect(said).toMatchFileSnapshot(`recorded/${type}/${scenario.name}/said.ndjson`);
      expect(agent.exits.at(-1)).toBe(0);
    });
  },
);

/** The events, one a line, without what is another each time. */
function readable(events: readonly AgentEvent[], workspace: string): string {
  const ids = new Map<string, string>();
  return events
    .map((event) => {
      const plain: Record<string, unknown> = { ...event };
      if ('until' in plain) plain['until'] = '(a time)';
      if (event.type === 'decision') {
        const id = ids.get(event.id) ?? `d_${ids.size + 1}`;
        ids.set(event.id, id);
        plain['id'] = id;
        // It covers the paths of this run.
        expect(event.hash).toMatch(/^[0-9a-f]{64}$/);
        plain['hash'] = '(a hash)';
      }
      return `${JSON.stringify(plain).replaceAll(workspace, '/workspace')}\n`;
    })
    .join('')
    .replaceAll(MADE_UP, (id) => {
      const known = ids.get(id) ?? `(id ${ids.size + 1})`;
      ids.set(id, known);
      return known;
    });
}

/** An id that a driver made. Those of a recording begin with zeros. */
const MADE_UP = /(?!00000000)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
