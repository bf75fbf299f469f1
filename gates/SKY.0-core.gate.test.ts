import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Liteclaw, ThreadId } from '@filepath/protocol';
import { toSkyMessage, toUiMessage } from '@filepath/protocol/sky';
import { gate, tempDir } from '@filepath/testkit';
import { expect, it, vi } from 'vitest';
import { answers, input, LONG, ready, rows, say, startClaw } from '../e2e/liteclaw-support.ts';
import { ChatClient, exported, textOf, transcript, user } from '../integration/chat-support.ts';
import { convert } from '../packages/cli/src/commands/convert.ts';
import { recordedIo } from '../packages/cli/test/io.ts';
import { openedByPi, piMessages } from '../packages/protocol/test/sky/opened-by-pi.ts';

async function spawned(claw: Awaited<ReturnType<typeof startClaw>>): Promise<string> {
  const { id } = await claw.api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });
  return id ?? '';
}

it('the chat streams, is resumed in mid-stream and persists; its export is converted both ways and opens in pi', async () => {
  const held = gate(20);
  await using claw = await startClaw([
    { text: LONG, chunk: 6, gate: held },
    { text: 'The last word was 59.' },
  ]);
  const id = await spawned(claw);
  const page = await claw.visit(`/chat/${id}`);
  await input(page).waitFor();
  await say(page, 'Count');
  await held.reached;
  await page.reload();
  await answers(page).getByText('word10').waitFor();
  held.release();
  await answers(page).getByText('word59').waitFor();
  await ready(page);
  await say(page, 'What was the last?');
  await answers(page).getByText('The last word was 59.').waitFor();
  await ready(page);
  await page.reload();
  await answers(page).nth(1).waitFor();
  expect(await rows(page).count()).toBe(4);

  // Read with its order: event ids rise, one run after the other.
  const { text, messages, events } = await exported(claw.api, id);
  expect(events.filter(({ type }) => type === 'run.started')).toHaveLength(2);
  expect(events.filter(({ type }) => type === 'run.completed')).toHaveLength(2);
  const of = { thread_id: ThreadId.parse(id) };
  const stored = await transcript(claw.api, id);
  expect(messages.map(({ id: one }) => one)).toEqual(stored.map(({ id: one }) => one));
  for (const message of messages)
    expect(toSkyMessage(toUiMessage(message, of), of)).toEqual(message);
  for (const message of stored) expect(toUiMessage(toSkyMessage(message, of), of)).toEqual(message);

  using dir = tempDir('sky0');
  const file = join(dir.path, 'session.jsonl');
  const io = recordedIo(text);
  expect(await convert(['-', '--to', 'pi', '-o', file, '--cwd', dir.path], io)).toBe(0);
  const session = openedByPi(readFileSync(file, 'utf8'), dir.path);
  expect(session.getSessionId()).toBe(id);
  expect(piMessages(session)).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'Count' }] },
    { role: 'assistant', content: [{ type: 'text', text: LONG }] },
    { role: 'user', content: [{ type: 'text', text: 'What was the last?' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'The last word was 59.' }] },
  ]);
});

it('the SDK’s own client works unchanged, and what is old is compacted into a summary that the model is sent', async () => {
  await using claw = await startClaw([], { LITECLAW_TURNS: '1' });
  const id = await spawned(claw);
  const summary = 'The dog of the person is called Rex.';
  claw.server.play({
    script: ({ system, lastText }) => ({
      text: system.startsWith('You keep the memory') ? summary : `Heard: ${lastText}`,
    }),
  });
  const client = new ChatClient(claw.instance, id);
  let known = await transcript(claw.api, id);
  for (const text of ['My dog is called Rex', 'two', 'three', 'four', 'five', 'six', 'seven']) {
    const answer = await client.say([...known, user(text)]);
    expect(answer).toMatchObject({ text: `Heard: ${text}`, error: null });
    const length = known.length + 2;
    known = await vi.waitFor(async () => {
      const stored = await transcript(claw.api, id);
      expect(stored).toHaveLength(length);
      return stored;
    }, 60_000);
  }
  const { memory, messages } = await vi.waitFor(async () => {
    const found = await exported(claw.api, id);
    expect(found.memory).not.toBeNull();
    return found;
  }, 60_000);
  expect(memory).toMatchObject({ summary, through: known.at(-3)?.id });
  // Nothing that was said is lost by it.
  expect(messages).toHaveLength(14);
  await client.say([...known, user('What is my dog called?')]);
  client.close();
  const request = claw.server.calls
    .map((call) => call.request)
    .findLast(({ system }) => !system.startsWith('You keep'));
  expect(request?.system).toContain(summary);
  expect(request?.messages.map(({ text }) => text)).toEqual([
    'seven',
    'Heard: seven',
    'What is my dog called?',
  ]);
  expect(known.map(textOf)[0]).toBe('My dog is called Rex');
});
