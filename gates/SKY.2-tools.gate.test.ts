import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Liteclaw, LiteclawTools, readLines } from '@filepath/protocol';
import { readSkyExport, SKY_LINE, skyEventOf, SkyReplay } from '@filepath/protocol/sky';
import { expect, it } from 'vitest';
import { answers, type ClawPage, input, ready, say, startClaw } from '../e2e/liteclaw-support.ts';

const calls = (name: string, given: Record<string, unknown>) => ({
  tools: [{ name, input: given }],
});

/** An instance with a page of this machine that the operator permits, and a LiteClaw. */
async function withWeb(env: Record<string, string> = {}) {
  const heard: string[] = [];
  const web = createServer((request, response) => {
    heard.push(request.url ?? '');
    response.end('The train leaves at nine.');
  });
  await new Promise<void>((resolve) => web.listen(0, resolve));
  const host = `localhost:${(web.address() as AddressInfo).port}`;
  const claw = await startClaw([], { FILEPATH_EGRESS_PRIVATE: host, ...env });
  const { id } = await claw.api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });
  const dispose = async (): Promise<void> => {
    await claw[Symbol.asyncDispose]();
    web.close();
  };
  return { claw, id: id ?? '', host, heard, [Symbol.asyncDispose]: dispose };
}

const allow = (claw: ClawPage, policy: string, hosts: string[] = []) =>
  claw.api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', { policy, allow: hosts });

async function exported(claw: ClawPage, id: string) {
  const { instance } = claw;
  const headers = { authorization: `Bearer ${instance.token}` };
  const { body } = await fetch(`${instance.url}/agents/chat/${id}/export`, { headers });
  const replay = new SkyReplay();
  const types: string[] = [];
  const differences = [];
  if (!body) throw new Error('no export');
  for await (const line of readSkyExport(readLines(body, SKY_LINE))) {
    differences.push(...(await replay.next(line)));
    const reading = line.type === 'event' ? skyEventOf(line.body) : null;
    if (reading?.ok && reading.event) types.push(reading.event.type);
  }
  return { types, differences, counts: replay.counts };
}

it('tools show up in the event stream, as cards in the chat with their receipts, and are replayed from them', async () => {
  await using at = await withWeb();
  const { claw, id, host } = at;
  await allow(claw, 'read-write', [host]);
  claw.server.play({
    script: [
      calls('http_fetch', { url: `http://${host}/trains` }),
      calls('write', { path: 'trains.md', text: 'The train leaves at nine.\n' }),
      calls('summarize', { path: 'trains.md' }),
      { text: 'It leaves at nine.' },
    ],
  });
  const page = await claw.visit(`/chat/${id}`);
  await input(page).waitFor();
  await say(page, 'When does it leave?');
  await answers(page).getByText('It leaves at nine.').waitFor();
  await ready(page);
  for (const name of ['http.fetch', 'write', 'summarize']) {
    const card = page.locator(`[data-tool="${name}"]`);
    expect(await card.getAttribute('data-status')).toBe('done');
  }
  const card = page.locator('[data-tool="write"]');
  await card.locator('button, summary').first().click();
  await card.getByTestId('receipt').getByText('can be replayed').waitFor();
  expect(at.heard).toEqual(['/trains']);
  await page.reload();
  await page.locator('[data-tool="write"][data-status="done"]').waitFor();

  const { types, differences, counts } = await exported(claw, id);
  expect(types.filter((type) => type === 'tool.call.started')).toHaveLength(3);
  expect(types.filter((type) => type === 'tool.call.completed')).toHaveLength(3);
  expect(types.filter((type) => type === 'tool.result')).toHaveLength(3);
  expect(differences).toEqual([]);
  expect(counts).toEqual({ calls: 3, replayed: 2, missing: 0 });
});

it('abuse has an end: nothing by default, a list of hosts, so many calls for a message', async () => {
  await using at = await withWeb({ LITECLAW_TOOL_CALLS: '2' });
  const { claw, id, host } = at;
  const fetching = calls('http_fetch', { url: `http://${host}/` });
  const page = await claw.visit(`/chat/${id}`);
  await input(page).waitFor();

  claw.server.play({ script: [{ text: 'I have no tools.' }] });
  await say(page, 'Fetch it');
  await answers(page).getByText('I have no tools.').waitFor();
  expect(claw.server.calls.at(-1)?.request.tools).toEqual([]);

  await allow(claw, 'read-only');
  claw.server.play({ script: [fetching, { text: 'It is not on the list.' }] });
  await ready(page);
  await say(page, 'And now?');
  await answers(page).getByText('It is not on the list.').waitFor();
  await page.locator('[data-tool="http.fetch"][data-status="error"]').waitFor();
  expect(at.heard).toEqual([]);

  await allow(claw, 'read-only', [host]);
  claw.server.play({ script: [fetching, fetching, fetching, { text: 'That is enough.' }] });
  await ready(page);
  await say(page, 'And now, as often as you can?');
  await answers(page).getByText('That is enough.').waitFor();
  expect(at.heard).toHaveLength(2);
});
