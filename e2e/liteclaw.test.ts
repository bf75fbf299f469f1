import { gate } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { transcript } from '../integration/chat-support.ts';
import { answers, input, LONG, ready, rows, say, startClaw } from './liteclaw-support.ts';

/** Runs in the page: from the click to a chat that can be used, as the page itself sees it. */
function measureSpawn(): void {
  addEventListener('click', () => performance.mark('clicked'), { capture: true, once: true });
  new MutationObserver((_, observer) => {
    for (const id of ['chat-welcome', 'chat-input'])
      if (!document.querySelector(`[data-testid="${id}"]`)) return;
    observer.disconnect();
    performance.measure('usable', 'clicked');
  }).observe(document.body, { childList: true, subtree: true });
}

it('[CHT8] from the hatchery to a chat that answers, over reloads in mid-stream and after it', async () => {
  const held = gate(20);
  await using claw = await startClaw([
    { text: LONG, chunk: 6, gate: held },
    { text: 'You said **go**.' },
  ]);
  const page = await claw.visit('/');
  await page.getByRole('link', { name: 'LiteClaw' }).waitFor();
  await page.goto(`${claw.instance.url}/hatchery`);
  await page.locator('[data-testid="claw-status"][data-state="not_spawned"]').waitFor();
  await expect.poll(() => page.getByTestId('reset').count()).toBe(0);
  await page.evaluate(measureSpawn);
  await page.getByTestId('spawn-claw').click();
  await page.waitForURL(/\/chat\/th_/);
  await page.getByTestId('chat-welcome').waitFor();
  await input(page).waitFor();
  const taken = await page.evaluate(() => performance.getEntriesByName('usable')[0]?.duration);
  expect(taken).toBeLessThan(3_000);
  const url = page.url();

  await say(page, 'go');
  await held.reached;
  await answers(page).getByText('word10').waitFor();
  await page.reload();
  await answers(page).getByText('word10').waitFor();
  held.release();
  await answers(page).getByText('word59').waitFor();
  await ready(page);
  expect(await answers(page).innerText()).toContain(LONG);

  await say(page, 'What did I say?');
  await answers(page).locator('strong', { hasText: 'go' }).waitFor();
  await page.reload();
  await answers(page).nth(1).waitFor();
  await expect.poll(() => rows(page).count()).toBe(4);

  for (const path of ['/assistant', '/chat/new']) {
    await page.goto(`${claw.instance.url}${path}`);
    await page.waitForURL(url);
    await answers(page).nth(1).waitFor();
  }
  await page.goto(`${claw.instance.url}/hatchery`);
  await page.locator('[data-testid="claw-status"][data-state="ready"]').waitFor();
  await page.getByTestId('reset').click();
  await page.getByTestId('confirm').click();
  await page.getByText('LiteClaw has forgotten everything.').waitFor();
  await page.getByTestId('go-to-chat').click();
  await page.getByTestId('chat-welcome').waitFor();
  expect(await rows(page).count()).toBe(0);
});

it('[CHT9] two devices: one asks, both read; either one stops, asks anew and clears', async () => {
  const [first, second] = [gate(20), gate(20)];
  await using claw = await startClaw([
    { text: LONG, chunk: 6, gate: first },
    { text: LONG, chunk: 6, gate: second },
    { text: 'The newer one.' },
  ]);
  const one = await claw.visit('/assistant');
  await one.waitForURL(/\/chat\/th_/);
  const other = await claw.visit(new URL(one.url()).pathname);
  await other.getByTestId('chat-welcome').waitFor();

  await say(one, 'go');
  await first.reached;
  for (const page of [one, other]) await answers(page).getByText('word10').waitFor();
  await other.getByTestId('stop').click();
  for (const page of [one, other]) await ready(page);
  first.release();
  // Each draws what came to it in a frame of its own.
  const texts = () => Promise.all([one, other].map((page) => answers(page).innerText()));
  await expect.poll(async () => new Set(await texts()).size).toBe(1);
  expect((await texts())[0]).not.toContain('word59');

  await say(one, 'again');
  await second.reached;
  await answers(other).nth(1).getByText('word10').waitFor();
  await say(other, 'rather this');
  for (const page of [one, other]) {
    await answers(page).getByText('The newer one.').waitFor();
    await ready(page);
    await expect.poll(() => rows(page).count()).toBe(6);
  }
  second.release();
  expect(await answers(one).nth(1).innerText()).not.toContain('word59');

  await other.getByTestId('clear').click();
  await other.getByRole('button', { name: 'Cancel' }).click();
  expect(await rows(other).count()).toBe(6);
  await other.getByTestId('clear').click();
  await other.getByTestId('confirm').click();
  for (const page of [one, other]) await page.getByTestId('chat-welcome').waitFor();
});

it('[CHT10] without a server the page says so, keeps what is said, and goes on by itself', async () => {
  await using claw = await startClaw(() => ({ text: 'Here again.' }));
  const page = await claw.visit('/assistant');
  await page.getByTestId('chat-welcome').waitFor();
  await say(page, 'first');
  await answers(page).getByText('Here again.').waitFor();
  await ready(page);
  // An answer that is not stored would be given again, and the next message ends that.
  const id = page.url().split('/').at(-1) ?? '';
  await expect.poll(async () => (await transcript(claw.api, id)).length).toBe(2);
  await claw.instance.killProcess();
  // Said once: beside the chat, or for the whole page where nothing of it is connected.
  await page
    .getByText(/^(Not connected|Offline)\. Trying again…$/)
    .first()
    .waitFor();
  await page
    .locator('[data-testid="connection"][data-state="offline"]')
    .waitFor({ state: 'attached' });
  await say(page, 'second');
  await page.getByText('waits for the connection').waitFor();
  await input(page).fill('not sent yet');
  await claw.instance.start();
  await answers(page).nth(1).getByText('Here again.').waitFor();
  await page
    .locator('[data-testid="connection"][data-state="live"]')
    .waitFor({ state: 'attached' });
  await expect.poll(() => rows(page).count()).toBe(4);
  await page.reload();
  await answers(page).nth(1).waitFor();
  expect(await input(page).inputValue()).toBe('not sent yet');
});

it('[CHT10] failures are blocks that can be asked again; what is refused is in the field again; a foreign chat says so', async () => {
  const down = { fault: { kind: 'status', status: 400, message: 'no <b>such</b> thing' } } as const;
  await using claw = await startClaw([down, down, { text: 'Better.' }], {
    LITECLAW_MESSAGES_PER_MINUTE: '2',
  });
  const page = await claw.visit('/assistant');
  await page.getByTestId('chat-welcome').waitFor();
  await say(page, 'Fail');
  const failure = page.getByTestId('chat-failure');
  await failure.getByText('no <b>such</b> thing').waitFor();
  await failure.getByTestId('ask-again').click();
  await answers(page).getByText('Better.').waitFor();
  await ready(page);
  await say(page, 'One too many');
  await page.getByText('At most 2 messages a minute').waitFor();
  await expect.poll(() => input(page).inputValue()).toBe('One too many');
  await expect.poll(() => rows(page).count()).toBe(4);

  await page.goto(page.url().replace(/.$/, (last) => (last === '0' ? '1' : '0')));
  await page.getByText('This chat is not there.').waitFor();
  await page.getByRole('link', { name: 'To your LiteClaw' }).click();
  await page.getByTestId('go-to-chat').waitFor();
});

it('[CHT11] behind a waitlist the hatchery lets one join, and spawn when one was let in', async () => {
  const secret = 'secret-of-an-operator-0123456789';
  await using claw = await startClaw([], { LITECLAW_ADMIN_SECRET: secret });
  const page = await claw.visit('/assistant');
  await page.waitForURL(/\/hatchery$/);
  await page.getByTestId('join').click();
  await page.getByText('on the waitlist since').waitFor();
  expect(await page.getByTestId('spawn-claw').count()).toBe(0);
  const approved = await fetch(`${claw.instance.url}/api/liteclaw/approve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-liteclaw-admin-secret': secret },
    body: JSON.stringify({ email: 'owner@filepath.invalid' }),
  });
  expect(approved.status).toBe(204);
  await page.getByRole('button', { name: 'Look again' }).click();
  await page.getByTestId('spawn-claw').click();
  await page.getByTestId('chat-welcome').waitFor();
});
