import { Liteclaw, LiteclawTools } from '@filepath/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answers, type ClawPage, input, ready, say, startClaw } from '../e2e/liteclaw-support.ts';
import { extensionEnv, Operator, skyEcho } from '../integration/extension-support.ts';

let claw: ClawPage;
let operator: Operator;
let id = '';

beforeAll(async () => {
  claw = await startClaw([], extensionEnv('sky.echo'));
  const spawned = await claw.api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });
  id = spawned.id ?? '';
  operator = new Operator(claw.instance, id);
  await claw.api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', { policy: 'read-only' });
});

afterAll(() => claw?.[Symbol.asyncDispose]());

const echo = { tools: [{ name: 'sky_echo', input: { text: 'a heron', times: 2 } }] };
const metrics = async (): Promise<string> => (await claw.api.call('GET', '/api/metrics')).text();

it('one extension adds one tool, which shows in the chat; it is counted, and enabled per thread', async () => {
  await operator.add(skyEcho());
  const page = await claw.visit(`/chat/${id}`);
  await input(page).waitFor();

  claw.server.play({ script: [{ text: 'I have no such tool.' }] });
  await say(page, 'Echo a heron');
  await answers(page).getByText('I have no such tool.').waitFor();
  expect(claw.server.calls.at(-1)?.request.tools).not.toContain('sky_echo');

  await operator.enable('sky.echo@1.0.0');
  claw.server.play({ script: [echo, { text: 'There it is.' }] });
  await ready(page);
  await say(page, 'And now?');
  await answers(page).getByText('There it is.').waitFor();
  expect(claw.server.calls.at(-1)?.request.tools).toContain('sky_echo');
  const card = page.locator('[data-tool="sky.echo"][data-status="done"]');
  await card.locator('button, summary').first().click();
  await card.getByText('a heron a heron').waitFor();
  await card.getByTestId('receipt').waitFor();
  await page.reload();
  await card.waitFor();

  const text = await metrics();
  expect(text).toContain('liteclaw_extension_calls_total{extension="sky.echo",of="tool"} 1');
  expect(text).toContain('liteclaw_extension_errors_total{extension="sky.echo",of="tool"} 0');
  expect(text).toContain('liteclaw_extension_duration_seconds_count{extension="sky.echo"} 1');

  await operator.enable();
  claw.server.play({ script: [echo, { text: 'It is gone.' }] });
  await ready(page);
  await say(page, 'And after it was switched off?');
  await answers(page).getByText('It is gone.').waitFor();
  await page.locator('[data-tool="sky_echo"][data-status="error"]').waitFor();
  expect(await metrics()).toContain('calls_total{extension="sky.echo",of="tool"} 1');
});
