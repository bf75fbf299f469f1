import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../src/index.ts';
import {
  readSkyExport,
  SKY_LINE,
  type SkyExportSource,
  SkyMessage,
  toPiSession,
  writeSkyExport,
} from '../../src/sky/index.ts';
import { skyMessage } from './arbitraries.ts';
import { openedByPi, piMessages } from './opened-by-pi.ts';
import { linesOf, newKey, sample, thread } from './sample.ts';

const key = newKey();
const tempDir = () => mkdtempDisposableSync(join(tmpdir(), 'filepath-pi-'));

/** Export, verify and convert, as text. */
async function converted(source: SkyExportSource, cwd: string): Promise<string> {
  return sessionOf(writeSkyExport(source, key.sign), cwd);
}

async function sessionOf(bytes: AsyncIterable<string>, cwd: string): Promise<string> {
  let text = '';
  for await (const line of toPiSession(readSkyExport(readLines(bytes, SKY_LINE)), cwd))
    text += line;
  return text;
}

const ofText = (text: string, cwd: string): Promise<string> =>
  sessionOf(
    (async function* () {
      yield text;
    })(),
    cwd,
  );

describe('an export as a session of pi', () => {
  it('[SKY11] is opened by pi with its messages, calls and results', async () => {
    using dir = tempDir();
    const session = openedByPi(await converted(sample({ memory: null }), dir.path), dir.path);
    expect(session.getSessionId()).toBe(thread);
    expect(session.getSessionName()).toBe('LiteClaw');
    expect(session.getHeader()).toMatchObject({ version: 3, cwd: dir.path });
    expect(piMessages(session)).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Mend a.md' },
          { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
          { type: 'text', text: expect.stringContaining('notes.pdf') },
        ],
      },
      {
        role: 'assistant',
        provider: 'anthropic',
        model: 'claude',
        stopReason: 'toolUse',
        content: [
          { type: 'thinking', thinking: 'It needs a line.' },
          { type: 'toolCall', id: 'c1', name: 'edit', arguments: { path: 'a.md' } },
        ],
      },
      { role: 'toolResult', toolCallId: 'c1', content: [{ text: 'ok' }], isError: false },
      {
        role: 'assistant',
        stopReason: 'stop',
        content: [{ text: 'Done — 完了' }],
        usage: { input: 10, output: 5, totalTokens: 15 },
      },
    ]);
  });

  it('[SKY11] keeps events, receipts and memory where pi shows them to no model', async () => {
    using dir = tempDir();
    const source = sample();
    const session = openedByPi(await converted(source, dir.path), dir.path);
    const kept = session
      .getEntries()
      .flatMap((entry) =>
        entry.type === 'custom' ? [{ type: entry.customType, data: entry.data }] : [],
      );
    const of = (type: string) => kept.filter((one) => one.type === type).map(({ data }) => data);
    expect(of('sky.event')).toEqual(source.events);
    expect(of('sky.receipt')).toEqual(source.receipts);
    expect(of('sky.memory')).toEqual([source.memory]);
    expect(JSON.stringify(piMessages(session))).not.toContain('receipt.run');
  });

  it('[SKY11] gives the model the summary in place of the messages that it covers', async () => {
    using dir = tempDir();
    const said = piMessages(openedByPi(await converted(sample(), dir.path), dir.path));
    expect(JSON.stringify(said[0])).toContain('The user keeps notes in a.md.');
    expect(JSON.stringify(said)).not.toContain('Mend a.md');
    expect(JSON.stringify(said.at(-1))).toContain('Done — 完了');
  });

  it('[SKY11] can be gone on with, and is found by pi in its folder', async () => {
    using dir = tempDir();
    const session = openedByPi(await converted(sample(), dir.path), dir.path);
    const before = session.getLeafId();
    session.appendMessage({ role: 'user', content: 'And now?', timestamp: Date.now() });
    expect(session.getLeafEntry()).toMatchObject({ parentId: before });
    const again = SessionManager.open(String(session.getSessionFile()), dir.path);
    expect(JSON.stringify(piMessages(again).at(-1))).toContain('And now?');
    const [listed] = await SessionManager.list(dir.path, dir.path);
    expect(listed).toMatchObject({ id: thread, name: 'LiteClaw', messageCount: 5 });
  });

  it('[SKY11] is one path without gaps, whatever the messages are, and shows every text', async () => {
    using dir = tempDir();
    const valid = skyMessage.map((message) =>
      SkyMessage.parse({ ...JSON.parse(JSON.stringify(message)), thread_id: thread }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(valid, { maxLength: 4 }), async (given) => {
        const source = sample({ messages: given, memory: null });
        const session = openedByPi(await converted(source, dir.path), dir.path);
        const entries = session.getEntries();
        expect(session.getBranch()).toEqual(entries);
        const shown = JSON.stringify(piMessages(session));
        for (const { role, content } of given) {
          for (const part of content) {
            if (part.type !== 'text') continue;
            const text = JSON.stringify(part.text).slice(1, -1);
            const kept = role === 'tool' ? JSON.stringify(entries) : shown;
            expect(kept).toContain(text);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('[SKY11] is not made of an export that was changed', async () => {
    const text = (await linesOf(sample(), key)).join('').replace('It needs', 'It wants');
    expect(text).toContain('It wants');
    await expect(ofText(text, '/')).rejects.toThrow('line 3: it is changed');
  });

  it('[SKY11] is made of the export that version 1 wrote', async () => {
    using dir = tempDir();
    const text = readFileSync(new URL('../../corpus/sky-export/1.jsonl', import.meta.url), 'utf8');
    const session = openedByPi(await ofText(text, dir.path), dir.path);
    expect(JSON.stringify(piMessages(session).at(-1))).toContain('Done — 完了');
  });
});
