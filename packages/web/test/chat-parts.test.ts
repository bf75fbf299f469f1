import { type ChatMessage, chatFileRef } from '@filepath/protocol/chat';
import { describe, expect, it } from 'vitest';
import { shownParts } from '../src/lib/text/chat-parts.ts';

const HASH = 'a'.repeat(64);
const receipt = {
  step_id: 'st_1',
  tool_name: 'read',
  args_hash: HASH,
  output_hash: 'b'.repeat(64),
  duration_ms: 12,
  status: 'completed',
  verified: true,
  tool_call_id: 'c1',
  executor: 'workers',
  deterministic: true,
};
const message = (parts: ChatMessage['parts']): ChatMessage => ({
  id: 'm',
  role: 'assistant',
  parts,
});
const call = { type: 'tool-read', toolCallId: 'c1', toolName: 'read' };

describe('[CHT12] parts of a message', () => {
  it('a call has its arguments, its result and the receipt that names it', () => {
    const shown = shownParts(
      message([
        { type: 'step-start' },
        { ...call, state: 'output-available', input: { path: 'a.md' }, output: { text: 'hello' } },
        { type: 'data-receipt', id: 'receipt-st_1', data: receipt },
        { type: 'text', text: 'It says hello.', state: 'done' },
      ]),
      false,
    );
    expect(shown).toEqual([
      {
        kind: 'tool',
        call: {
          name: 'read',
          status: 'done',
          input: { path: 'a.md' },
          output: JSON.stringify({ text: 'hello' }, null, 2),
          diff: null,
          error: null,
          receipt,
        },
      },
      { kind: 'text', text: 'It says hello.', partial: false },
    ]);
  });

  it('[CHT12] what a call changed is a diff, and not in its output too', () => {
    const diff = '@@ -0,0 +1 @@\n+- milk';
    const output = { path: 'list.md', created: true, diff };
    const [shown] = shownParts(message([{ ...call, state: 'output-available', output }]), false);
    const rest = JSON.stringify({ path: 'list.md', created: true }, null, 2);
    expect(shown).toMatchObject({ call: { diff, output: rest } });
    for (const other of [{ diff: 1 }, { diff: '' }, ['diff'], 'diff', null]) {
      const [plain] = shownParts(
        message([{ ...call, state: 'output-available', output: other }]),
        false,
      );
      expect(plain).toMatchObject({ call: { diff: null } });
    }
  });

  it('arguments are shown while they are written, and a call that nobody ended is a failure', () => {
    const part = { ...call, state: 'input-streaming', inputText: '{"path":"a' };
    const [writing] = shownParts(message([part]), true);
    expect(writing).toMatchObject({ call: { status: 'start', input: '{"path":"a', error: null } });
    const [left] = shownParts(message([part]), false);
    expect(left).toMatchObject({
      call: { status: 'error', error: expect.stringContaining('ended') },
    });
  });

  it('a failed call says why; one of another kind is named by its tool', () => {
    const failed = {
      type: 'dynamic-tool',
      toolName: 'x.y',
      toolCallId: 'c2',
      state: 'output-error',
    };
    const [shown] = shownParts(message([{ ...failed, errorText: 'no such file' }]), false);
    expect(shown).toMatchObject({ call: { name: 'x.y', status: 'error', error: 'no such file' } });
  });

  it('a receipt that is none, thoughts and empty texts are not shown', () => {
    const parts = [
      { type: 'data-receipt', data: { args_hash: 1 } },
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: '' },
      { type: 'data-error', data: { code: 'nonsense' } },
    ];
    expect(shownParts(message(parts), false)).toEqual([]);
  });
});

describe('[CFILE4] files of a message', () => {
  const CHAT = 'th_0123456789abcdefghijklmnop';
  const file = (url: string) => ({ type: 'file', mediaType: 'image/png', filename: 'a.png', url });

  it('that follow each other are one list, by their hash', () => {
    const part = file(chatFileRef(CHAT, HASH));
    const one = { name: 'a.png', sha256: HASH, type: 'image/png' };
    expect(shownParts(message([part, part]), false, CHAT)).toEqual([
      { kind: 'files', files: [one, one] },
    ]);
  });

  it.each([
    chatFileRef('th_zzzzzzzzzzzzzzzzzzzzzzzzzz', HASH),
    'https://example.com/a.png',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
  ])('that are not of this chat are a name: %s', (url) => {
    const shown = shownParts(message([file(url)]), false, CHAT);
    expect(shown).toEqual([{ kind: 'other', label: 'a.png' }]);
  });
});
