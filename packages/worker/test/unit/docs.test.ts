import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentEntry, AgentEvent, AgentInput, parseAgentLine } from '@filepath/protocol';
import { getTableName } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import * as authSchema from '../../src/db/auth-schema.ts';
import * as identitySchema from '../../src/db/identity-schema.ts';
import * as indexSchema from '../../src/db/index-schema.ts';
import * as liteclawSchema from '../../src/db/liteclaw-schema.ts';
import * as providerSchema from '../../src/db/provider-schema.ts';
import { CHAT_MIGRATIONS } from '../../src/liteclaw/schema.ts';
import { RUNNER_MIGRATIONS } from '../../src/runner/schema.ts';
import { USUAL_CAPS as CAPS } from '../../src/session/caps.ts';
import { SESSION_MIGRATIONS } from '../../src/session/schema.ts';
import { THREAD_MIGRATIONS } from '../../src/thread/schema.ts';
import { USER_MIGRATIONS } from '../../src/user/schema.ts';
import {
  codes,
  fences,
  fileLinks,
  pages,
  readDoc,
  ROOT,
  rows,
  section,
} from './support/markdown.ts';

describe('docs/reference/http-api.md', () => {
  it('is what scripts/docs.mjs writes', () => {
    const ran = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(`${ran.stderr}${ran.stdout}`).toBe('');
    expect(ran.status).toBe(0);
  }, 30_000);

  it('names the caps of a tree', () => {
    const text = readDoc('docs/reference/http-api.md').replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      `at most ${CAPS.depth} levels deep and has at most ${CAPS.agents} agents, ${CAPS.children} below one`,
    );
  });
});

describe('docs/reference/fap.md', () => {
  const text = readDoc('docs/reference/fap.md');
  const events = section(text, '## Events');
  const inputs = section(text, '## Inputs');
  const documented = [
    ...AgentEvent.options.map((schema) => ({ schema, within: events, suffix: '' })),
    ...AgentInput.options.map((schema) => ({
      schema,
      within: inputs,
      suffix: schema.shape.type.value === 'decision' ? ' (input)' : '',
    })),
  ].map(({ schema, within, suffix }) => {
    const type = schema.shape.type.value;
    return { name: `${type}${suffix}`, schema, body: section(within, `### ${type}${suffix}`) };
  });

  it.each(documented)('lists the fields of $name, and which are required', ({ schema, body }) => {
    const fields = Object.entries<z.ZodType>(schema.shape).filter(([name]) => name !== 'type');
    const expected = fields.map(([name, field]) => [name, !field.safeParse(undefined).success]);
    const listed = rows(body).map(([name = '', required]) => [
      name.replaceAll('`', ''),
      required === 'yes',
    ]);
    expect(new Map(listed as [string, boolean][])).toEqual(
      new Map(expected as [string, boolean][]),
    );
  });

  it.each(documented)('has examples of $name that its schema takes', ({ schema, body }) => {
    const examples = fences(body, 'ndjson').flatMap((block) => block.trim().split('\n'));
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) schema.parse(JSON.parse(example));
  });

  it('has no event or input that no schema knows', () => {
    const headings = [...`${events}\n${inputs}`.matchAll(/^### (.+)$/gm)].map((match) => match[1]);
    expect(headings).toEqual(documented.map(({ name }) => name));
  });
});

describe('docs/reference/schema.md', () => {
  const text = readDoc('docs/reference/schema.md');

  const tables = [authSchema, identitySchema, indexSchema, liteclawSchema, providerSchema]
    .flatMap((schema) => Object.values(schema))
    .flatMap((value) => ('getSQL' in value ? [value] : []));
  it.each(tables.map((table) => ({ name: getTableName(table), table })))(
    'names the D1 table $name and its columns',
    ({ name, table }) => {
      const heading = text
        .split('\n')
        .find((line) => line.startsWith('### ') && words(line).has(name));
      expect(heading).toBeDefined();
      const known = codes(section(text, heading ?? ''));
      for (const column of getTableConfig(table).columns) expect(known).toContain(column.name);
    },
  );

  it.each([
    ['ThreadObject', THREAD_MIGRATIONS],
    ['SessionObject', SESSION_MIGRATIONS],
    ['RunnerObject', RUNNER_MIGRATIONS],
    ['UserObject', USER_MIGRATIONS],
    ['Chat', CHAT_MIGRATIONS],
  ] as const)('names the tables of %s and their columns', async (name, migrations) => {
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(':memory:');
    for (const statement of migrations.flat()) db.exec(statement);
    const found = db
      .prepare(
        `SELECT t.name AS name, group_concat(c.name) AS columns FROM pragma_table_list t, pragma_table_info(t.name) c
         WHERE t.type IN ('table', 'virtual') AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name`,
      )
      .all()
      .map((row) => [String(row['name']), String(row['columns']).split(',').sort()] as const);
    const listed = rows(section(text, `### ${name}`)).map(
      ([table = '', columns = '']) =>
        [table.replaceAll('`', ''), [...codes(columns)].sort()] as const,
    );
    expect(new Map(listed)).toEqual(new Map(found));
    db.close();
  });
});

describe('docs/reference/cli.md and environment.md', () => {
  const sources = globSync('packages/cli/src/**/*.ts', { cwd: ROOT }).map(readDoc).join('\n');

  it('has every usage of the command', () => {
    const cli = readDoc('docs/reference/cli.md');
    const usages = [...sources.matchAll(/`Usage: (.+)$/gm)].map((match) => match[1] ?? '');
    expect(usages.length).toBeGreaterThanOrEqual(5);
    for (const usage of usages.filter((one) => !/COMMAND/.test(one))) expect(cli).toContain(usage);
  });

  it('README.md lists every command', () => {
    const main = readDoc('packages/cli/src/main.ts');
    const commands = [...main.matchAll(/^ {2}(\w+): async \(\) => \(await import/gm)].map(
      (match) => match[1] ?? '',
    );
    expect(commands.length).toBeGreaterThanOrEqual(17);
    const listed = [...readDoc('README.md').matchAll(/^\| `npx filepath (\w+)/gm)];
    expect(listed.map((match) => match[1] ?? '').toSorted()).toEqual(commands.toSorted());
  });

  it('has every variable that the command or an agent reads', () => {
    const agent = readDoc('packages/runner/src/executor/environment.ts');
    const known = codes(readDoc('docs/reference/environment.md'));
    for (const [name] of `${sources}\n${agent}`.matchAll(/\bFILEPATH_[A-Z]+(_[A-Z]+)*\b/g))
      expect(known).toContain(name);
  });
});

describe('docs/tutorials/first-agent.md', () => {
  const scripts = fences(readDoc('docs/tutorials/first-agent.md'), 'sh').filter((script) =>
    script.includes('"type"'),
  );
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'filepath-docs-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], {
        cwd: folder,
      });
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '--message', 'first');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([1, 2, 3])('step %i prints nothing but FAP events', (step) => {
    const ran = spawnSync('sh', ['-c', scripts[step - 1] ?? 'exit 99'], {
      cwd: folder,
      encoding: 'utf8',
      input:
        '{"type":"message","from":"user","content":"a \\"b\\"\\n"}\n{"type":"signal","action":"stop"}\n',
    });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    const lines = ran.stdout.trimEnd().split('\n').map(parseAgentLine);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => !line.ok)).toEqual([]);
  });
});

describe('agents in the docs', () => {
  it('[CAT7] the tutorial prints the agent of the template', () => {
    const [agent] = fences(readDoc('docs/tutorials/first-agent.md'), 'js');
    expect(agent).toBe(readDoc('packages/cli/templates/agent/agent.mjs'));
  });

  it('[CAT2] the entry that the how-to shows is valid', () => {
    const [entry = ''] = fences(readDoc('docs/how-to/add-an-agent-type.md'), 'json');
    expect(AgentEntry.parse(JSON.parse(entry))).toMatchObject({ type: 'goose' });
  });
});

describe('every page', () => {
  it.each(pages())('%s links to files that exist', (page) => {
    const missing = fileLinks(page, readDoc(page)).filter((file) => !existsSync(join(ROOT, file)));
    expect(missing).toEqual([]);
  });
});

const words = (line: string): Set<string> => new Set(line.split(/[^\w]+/));
