import { expect, it } from 'vitest';
import { answers, ready, rows, say, startClaw } from '../e2e/liteclaw-support.ts';

it('spawned, told something, started again, asked: the same LiteClaw with the same context', async () => {
  await using claw = await startClaw(({ messages, lastText }) => ({
    text: lastText.startsWith('Who')
      ? `I know: ${messages.find(({ text }) => text.includes('called'))?.text ?? 'nothing'}`
      : 'Noted.',
  }));
  const page = await claw.visit('/hatchery');
  await page.getByTestId('spawn-claw').click();
  await page.getByTestId('chat-welcome').waitFor();
  const url = page.url();
  await say(page, 'I am called Ada.');
  await answers(page).getByText('Noted.').waitFor();
  await ready(page);

  await claw.instance.stop();
  await claw.instance.start();
  const later = await claw.visit('/assistant');
  await later.waitForURL(url);
  await answers(later).getByText('Noted.').waitFor();
  await say(later, 'Who am I?');
  await answers(later).getByText('I know: I am called Ada.').waitFor();
  expect(await rows(later).count()).toBe(4);
});
