import { AxeBuilder } from '@axe-core/playwright';
import { gate } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { answers, ready, say, startClaw } from './liteclaw-support.ts';
import { seen } from './screens.ts';

const ANSWER = `Here is a plan for **today**:

1. Answer the mail from Ada
2. Finish \`parser.ts\`
3. A walk before it gets dark

| when  | what   |
| ----- | ------ |
| 09:00 | mail   |
| 10:30 | parser |

\`\`\`ts
export const parse = (text: string): string[] => text.split('\\n');
\`\`\`

Tell me when the first is done.`;

/** What axe finds wrong with the page, in both themes. */
async function wrong(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    for (const { id, nodes } of violations)
      found.push(`${colorScheme} ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  }
  return found;
}

it('[CHT13] hatchery and chat have no fault that axe finds and fit a phone, in every state', async () => {
  const held = gate(20);
  const down = { fault: { kind: 'status', status: 400, message: 'no such thing' } } as const;
  await using claw = await startClaw([
    { text: ANSWER },
    down,
    down,
    { text: ANSWER, chunk: 6, gate: held },
  ]);
  const page = await claw.visit('/hatchery');
  const faults: Record<string, string[]> = {};
  const look = async (step: string): Promise<void> => {
    await seen(page, `liteclaw-${step}`);
    const found = await wrong(page);
    if (found.length > 0) faults[step] = found;
    await page.setViewportSize({ width: 360, height: 740 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, step).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1440, height: 900 });
  };

  await page.getByTestId('spawn-claw').waitFor();
  await look('not-spawned');
  await page.getByTestId('spawn-claw').click();
  await page.getByTestId('chat-welcome').waitFor();
  await look('welcome');
  await say(page, 'Help me to plan my day. I have mail from Ada, and parser.ts is not finished.');
  await answers(page).getByText('Tell me when').waitFor();
  await ready(page);
  await look('answered');
  await say(page, 'And for tomorrow?');
  await page.getByTestId('chat-failure').waitFor();
  await ready(page);
  await look('failure');
  await page.getByTestId('ask-again').click();
  await held.reached;
  await answers(page).getByText('Here is a plan').nth(1).waitFor();
  await look('writing');
  await page.getByTestId('clear').click();
  await page.getByTestId('confirm').waitFor();
  await look('clear');
  await page.getByRole('button', { name: 'Cancel' }).click();
  held.release();
  await ready(page);
  await page.goto(`${claw.instance.url}/hatchery`);
  await page.getByTestId('go-to-chat').waitFor();
  await look('ready');
  expect(faults).toEqual({});
}, 400_000);
