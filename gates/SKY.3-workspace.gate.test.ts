import {
  Liteclaw,
  LiteclawTools,
  LiteclawWorkspace,
  readLines,
  unifiedDiff,
} from '@filepath/protocol';
import {
  readSkyExport,
  sha256Hex,
  SKY_LINE,
  SkyReplay,
  type ToolReceipt,
} from '@filepath/protocol/sky';
import { expect, it } from 'vitest';
import { answers, input, ready, say, startClaw } from '../e2e/liteclaw-support.ts';

const calls = (name: string, given: Record<string, unknown>) => ({
  tools: [{ name, input: given }],
});

it('read works end to end with receipts and replay; edit and write leave the hashes of input, patch and output', async () => {
  const [before, after] = ['one\ntwo\n', 'one\n2\n'];
  await using claw = await startClaw([
    calls('write', { path: 'a.txt', text: before }),
    calls('edit', { path: 'a.txt', old: 'two', new: '2' }),
    calls('read', { path: 'a.txt' }),
    calls('bash', { command: 'ls' }),
    { text: 'It says one and 2.' },
  ]);
  const { api, instance } = claw;
  const { id } = await api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });
  await api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', { policy: 'read-write' });
  const page = await claw.visit(`/chat/${id}`);
  await input(page).waitFor();
  await say(page, 'Write it, mend it, read it');
  await answers(page).getByText('It says one and 2.').waitFor();
  await ready(page);
  for (const name of ['write', 'edit', 'read'])
    await page.locator(`[data-tool="${name}"][data-status="done"]`).waitFor();
  await page.locator('[data-tool="bash"][data-status="error"]').waitFor();

  const headers = { authorization: `Bearer ${instance.token}` };
  const { body } = await fetch(`${instance.url}/agents/chat/${id}/export`, { headers });
  if (!body) throw new Error('no export');
  const replay = new SkyReplay();
  const receipts: ToolReceipt[] = [];
  const differences = [];
  for await (const line of readSkyExport(readLines(body, SKY_LINE))) {
    differences.push(...(await replay.next(line)));
    if (line.type === 'receipt' && line.body.type === 'receipt.tool') receipts.push(line.body);
  }
  expect(differences).toEqual([]);
  expect(replay.counts).toEqual({ calls: 4, replayed: 3, missing: 0 });
  expect(receipts.map(({ tool_name: name }) => name)).toEqual(['write', 'edit', 'read', 'bash']);
  expect(receipts[1]?.change).toEqual({
    path: 'a.txt',
    input_hash: await sha256Hex(before),
    patch_hash: await sha256Hex(unifiedDiff('a.txt', before, after)),
    output_hash: await sha256Hex(after),
  });

  const post = (action: object) =>
    api.json(LiteclawWorkspace, 'POST', '/api/liteclaw/workspace', action);
  const [snapshot] = (await post({ action: 'snapshot' })).snapshots;
  expect((await post({ action: 'clear' })).files).toEqual([]);
  const restored = await post({ action: 'restore', sha256: snapshot?.sha256 });
  expect(restored.files).toEqual([{ path: 'a.txt', bytes: after.length }]);
});
