import { gate } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { answers, LONG, ready, rows, say, startClaw } from '../e2e/liteclaw-support.ts';

it('a message is answered word by word over the WebSocket; a refresh has all of it again', async () => {
  const held = gate(20);
  await using claw = await startClaw([{ text: LONG, chunk: 6, gate: held }]);
  const page = await claw.visit('/assistant');
  await page.getByTestId('chat-welcome').waitFor();
  const posted: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') posted.push(request.url());
  });
  await say(page, 'Count');
  await held.reached;
  await answers(page).getByText('word10').waitFor();
  expect(await answers(page).innerText()).not.toContain('word59');
  held.release();
  await answers(page).getByText('word59').waitFor();
  await ready(page);
  expect(posted, 'the answer came over the WebSocket').toEqual([]);

  await page.reload();
  await answers(page).getByText(LONG).waitFor();
  expect(await rows(page).allInnerTexts()).toEqual([
    expect.stringContaining('Count'),
    expect.stringContaining(LONG),
  ]);
});
