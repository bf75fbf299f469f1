import type { KeptFile } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { charsFor, contextOf, filesOf, type Said } from '../../../src/liteclaw/context.ts';
import { readShown, withoutImages } from '../../../src/liteclaw/files/shown-files.ts';
import { liteclawSettings } from '../../../src/liteclaw/settings.ts';

const SETTINGS = liteclawSettings({});

type Held = { readonly type: string; readonly bytes: Uint8Array | null };

/** Messages with files, as the model is sent them. */
async function told(
  said: readonly Said[],
  held: Readonly<Record<string, Held>>,
  settings = SETTINGS,
) {
  const files = await readShown(said.flatMap(filesOf), {
    named: (ref): KeptFile | null => {
      const one = held[ref];
      return one ? { sha256: ref, bytes: one.bytes?.length ?? 1, type: one.type } : null;
    },
    read: async ({ sha256 }, most) => held[sha256]?.bytes?.subarray(0, most) ?? null,
  });
  return contextOf(said, settings, { summary: '', goOn: false, files }).messages;
}

const gave = (id: string, text: string, ...urls: string[]): Said => ({
  id,
  role: 'user',
  parts: [
    { type: 'text', text },
    ...urls.map((url) => ({ type: 'file', url, filename: `${url}.x`, mediaType: 'a/b' })),
  ],
});
const image = (size = 10): Held => ({ type: 'image/png', bytes: new Uint8Array(size) });
const text = (of: string): Held => ({ type: 'text/plain', bytes: new TextEncoder().encode(of) });

/** The pieces of messages, texts as pieces too. */
function pieces(messages: Awaited<ReturnType<typeof told>>): { type: string; text?: string }[] {
  const all: { type: string; text?: string }[] = [];
  for (const { content } of messages) {
    if (typeof content === 'string') all.push({ type: 'text', text: content });
    else for (const piece of content) all.push(piece);
  }
  return all;
}
const images = (messages: Awaited<ReturnType<typeof told>>): number =>
  pieces(messages).filter(({ type }) => type === 'file').length;

describe('[CFILE5] of the files of a message a model is sent', () => {
  it('an image as an image, and a text as a text, in their order', async () => {
    const [message] = await told([gave('u1', 'Look', 'one', 'two')], {
      one: image(),
      two: text('Milk and bread'),
    });
    expect(message).toMatchObject({
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'file', mediaType: 'image/png' },
        { type: 'text', text: '[two.x (a/b):]\nMilk and bread\n[end of two.x]' },
      ],
    });
  });

  it('a word where it is gone, is no text, or its bytes are', async () => {
    const messages = await told([gave('u1', 'Look', 'gone', 'lost', 'binary')], {
      lost: { type: 'image/png', bytes: null },
      binary: { type: 'application/pdf', bytes: new Uint8Array([0xff, 0, 1]) },
    });
    const words = JSON.stringify(messages);
    expect(words.match(/is not kept here any more/g)).toHaveLength(2);
    expect(words).toContain('binary.x (a/b) is neither text nor an image');
  });

  it('something also where nothing was said with it', async () => {
    const [message] = await told([gave('u1', '', 'one')], { one: image() });
    expect(message?.content).toMatchObject([{ type: 'file' }]);
  });

  it('the newest eight images, and no more bytes than can be sent', async () => {
    const settings = { ...SETTINGS, maxContextTokens: 100_000 };
    const said = Array.from({ length: 6 }, (_, at) => gave(`u${at}`, 'x', `a${at}`, `b${at}`));
    const small = Object.fromEntries(said.flatMap(filesOf).map(({ url = '' }) => [url, image()]));
    expect(images(await told(said, small, settings))).toBe(8);
    const large = Object.fromEntries(
      said.flatMap(filesOf).map(({ url = '' }) => [url, image(3.4 * 1024 * 1024)]),
    );
    expect(images(await told(said, large, settings))).toBe(3);
  });

  it('no more than the context takes, whatever was given', async () => {
    const said = Array.from({ length: 30 }, (_, at) => gave(`u${at}`, 'x', `t${at}`, `i${at}`));
    const held = Object.fromEntries(
      said
        .flatMap(filesOf)
        .map(({ url = '' }) => [
          url,
          url.startsWith('t') ? text('word '.repeat(100_000)) : image(),
        ]),
    );
    const messages = await told(said, held);
    const size = pieces(messages).reduce((sum, { text: of }) => sum + (of?.length ?? 3_200), 0);
    expect(size).toBeLessThanOrEqual(charsFor(SETTINGS));
    expect(JSON.stringify(messages.at(-1))).toContain('word word');
  });

  it('the same without images, for a model that takes none', async () => {
    const messages = await told([gave('u1', 'Look', 'one')], { one: image() });
    const plain = withoutImages(messages);
    expect(images(plain ?? messages)).toBe(0);
    expect(JSON.stringify(plain)).toContain('which you cannot be shown');
    expect(withoutImages([{ role: 'user', content: 'x' }])).toBeNull();
  });
});
