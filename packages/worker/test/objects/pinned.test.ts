import { env } from 'cloudflare:workers';
import { LINK_VERSION } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import configuration from '../../wrangler.jsonc?raw';
import * as worker from '../../src/index.ts';
import { TUNNEL_MIGRATIONS } from '../../src/liteclaw/executors/tunnel-table.ts';
import { CHAT_MIGRATIONS } from '../../src/liteclaw/schema.ts';
import { RUNNER_MIGRATIONS } from '../../src/runner/schema.ts';
import { SESSION_MIGRATIONS } from '../../src/session/schema.ts';
import { THREAD_MIGRATIONS } from '../../src/thread/schema.ts';
import { USER_MIGRATIONS } from '../../src/user/schema.ts';

/** Stored objects are found by these names: one that changes needs a migration, and stands here after it. */
const CLASSES = {
  THREAD: 'ThreadObject',
  SESSION: 'SessionObject',
  USER: 'UserObject',
  RUNNER: 'RunnerObject',
  Chat: 'Chat',
  ChatDatabase: 'ChatDatabase',
  ChatTunnels: 'ChatTunnels',
} as const;

const MIGRATIONS = [
  {
    tag: 'v1',
    new_sqlite_classes: ['ThreadObject', 'SessionObject', 'UserObject', 'RunnerObject'],
  },
  { tag: 'v2', new_sqlite_classes: ['Chat'] },
  { tag: 'v3', new_sqlite_classes: ['ChatDatabase'] },
  { tag: 'v4', new_sqlite_classes: ['ChatTunnels'] },
];

const Configuration = z.object({
  durable_objects: z.object({
    bindings: z.array(z.object({ name: z.string(), class_name: z.string() })),
  }),
  migrations: z.array(z.object({ tag: z.string(), new_sqlite_classes: z.array(z.string()) })),
});

/** JSON with comments on lines of their own, and commas before a closing bracket. */
const parsed = Configuration.parse(
  JSON.parse(configuration.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/,(?=\s*[}\]])/g, '')),
);

describe('what stored data depends on', () => {
  it('the classes of the objects and their migrations are the ones that exist', () => {
    const bindings = parsed.durable_objects.bindings.map((one) => [one.name, one.class_name]);
    expect(Object.fromEntries(bindings)).toEqual(CLASSES);
    expect(parsed.migrations).toEqual(MIGRATIONS);
  });

  it('the worker exports every class under its name, and nothing else', () => {
    const { default: _, ...classes } = worker;
    const names = Object.entries(classes).map(([name, value]) => `${name} ${value.name}`);
    const all = [...Object.values(CLASSES), 'Housekeeping'];
    expect(new Set(names)).toEqual(new Set(all.map((name) => `${name} ${name}`)));
    for (const binding of Object.keys(CLASSES)) expect(Reflect.has(env, binding)).toBe(true);
  });

  it('the versions of the objects’ tables and of the link are these', () => {
    const versions = [
      THREAD_MIGRATIONS,
      SESSION_MIGRATIONS,
      USER_MIGRATIONS,
      RUNNER_MIGRATIONS,
      CHAT_MIGRATIONS,
      TUNNEL_MIGRATIONS,
    ];
    expect(versions.map((migrations) => migrations.length)).toEqual([5, 8, 6, 1, 4, 1]);
    expect(LINK_VERSION).toBe(1);
  });
});
