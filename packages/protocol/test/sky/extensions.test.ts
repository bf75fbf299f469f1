import { describe, expect, it } from 'vitest';
import {
  argsSchema,
  EXTENSION_LIMITS,
  ExtensionContent,
  ExtensionManifest,
  ExtensionsPut,
  parseExtensionRef,
  TOOL_ARGS,
  ToolInput,
} from '../../src/sky/index.ts';

const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tool = { name: 'sky.echo', description: 'Says it back.', access: 'read', input };
const manifest = { name: 'sky.echo', version: '1.0.0', description: 'Echo.', tools: [tool] };
const issuesOf = (given: unknown): string =>
  JSON.stringify(ExtensionManifest.safeParse(given).error?.issues ?? []);

describe('a manifest', () => {
  it('[EXT1] names itself, its tools, permissions, prompts and hints', () => {
    const whole = {
      ...manifest,
      hooks: ['onMessage'],
      permissions: { messages: true, http: ['api.example.com', '*.example.org:8443'] },
      prompts: { system: 'Be brief.' },
      ui: { label: 'Echo' },
    };
    expect(ExtensionManifest.parse(whole)).toEqual(whole);
    expect(ExtensionManifest.parse(manifest)).toMatchObject({ hooks: [], permissions: {} });
  });

  it.each(Object.keys(TOOL_ARGS).filter((name) => name.includes('.')))(
    '[EXT1] cannot take the name of a tool of every chat: %s',
    (name) => {
      expect(issuesOf({ ...manifest, name, tools: [{ ...tool, name }] })).toContain(
        'is a tool of every chat',
      );
    },
  );

  it.each([
    ['a name without a dot', { name: 'echo' }],
    ['a name with an underscore', { name: 'sky.e_cho' }],
    ['a version that is none', { version: 'latest' }],
    ['a tool of another', { tools: [{ ...tool, name: 'sky.other' }] }],
    ['a tool that only begins alike', { tools: [{ ...tool, name: 'sky.echoes' }] }],
    ['a tool twice', { tools: [tool, tool] }],
    [
      'too many tools',
      { tools: Array.from({ length: 9 }, (_, n) => ({ ...tool, name: `sky.echo.t${n}` })) },
    ],
    ['a hook that there is not', { hooks: ['onStart'] }],
    ['a hook twice', { hooks: ['onMessage', 'onMessage'] }],
    ['a permission that there is not', { permissions: { env: true } }],
    ['a host that is none', { permissions: { http: ['http://example.com/'] } }],
    ['a long prompt', { prompts: { system: 'x'.repeat(EXTENSION_LIMITS.prompt + 1) } }],
    ['a key that there is not', { main: 'index.js' }],
    [
      'a pattern, which might never end',
      {
        tools: [
          {
            ...tool,
            input: { type: 'object', properties: { text: { type: 'string', pattern: '(a+)+$' } } },
          },
        ],
      },
    ],
  ])('[EXT1] is refused with %s', (_, change) => {
    expect(ExtensionManifest.safeParse({ ...manifest, ...change }).success).toBe(false);
  });

  it('[EXT6] has code where it has tools or hooks, and none otherwise', () => {
    const { tools: _, ...prompting } = manifest;
    const fits = (given: unknown): boolean => ExtensionContent.safeParse(given).success;
    expect(fits({ manifest: prompting })).toBe(true);
    expect(fits({ manifest: prompting, code: 'x' })).toBe(false);
    expect(fits({ manifest })).toBe(false);
    expect(fits({ manifest, code: 'x' })).toBe(true);
    expect(fits({ manifest, code: 'x'.repeat(EXTENSION_LIMITS.code + 1) })).toBe(false);
  });
});

describe('the arguments of a tool', () => {
  const schema = argsSchema(
    ToolInput.parse({
      type: 'object',
      properties: {
        text: { type: 'string', maxLength: 5 },
        how: { type: 'string', enum: ['loud', 'low'] },
        times: { type: 'integer', minimum: 1, maximum: 3 },
        part: { type: 'number' },
        sure: { type: 'boolean' },
        names: { type: 'array', items: { type: 'string', maxLength: 3 }, maxItems: 2 },
      },
      required: ['text'],
    }),
  );

  it('[EXT1] are what the manifest says', () => {
    const all = { text: 'a', how: 'low', times: 3, part: 0.5, sure: true, names: ['a', 'b'] };
    expect(schema.parse(all)).toEqual(all);
    for (const wrong of [
      {},
      { text: 'longer' },
      { text: 'a', how: 'x' },
      { text: 'a', times: 4 },
      { text: 'a', times: 1.5 },
      { text: 'a', names: ['a', 'b', 'c'] },
      { text: 'a', names: ['long'] },
      { text: 'a', more: 1 },
    ])
      expect(schema.safeParse(wrong).success).toBe(false);
  });

  it('[EXT1] name no property that is not there', () => {
    const wrong = { type: 'object', properties: {}, required: ['toString'] };
    expect(ToolInput.safeParse(wrong).success).toBe(false);
  });
});

describe('what a chat is to have', () => {
  it('[EXT3] is pinned', () => {
    expect(parseExtensionRef('sky.echo@1.0.0')).toEqual({ name: 'sky.echo', version: '1.0.0' });
    for (const text of [
      'sky.echo',
      'sky.echo@',
      'sky.echo@latest',
      '@1.0.0',
      'sky.echo@1.0.0@2.0.0',
      'sky.echo@01.0.0',
    ])
      expect(parseExtensionRef(text)).toBeNull();
    const fits = (...enabled: string[]): boolean => ExtensionsPut.safeParse({ enabled }).success;
    expect(fits('sky.echo@1.0.0', 'sky.other@1.0.0')).toBe(true);
    expect(fits('sky.echo@1.0.0', 'sky.echo@1.0.1')).toBe(false);
    expect(fits(...Array.from({ length: 9 }, (_, n) => `sky.e${n}@1.0.0`))).toBe(false);
  });
});
