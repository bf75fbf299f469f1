import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Liteclaw, LiteclawTools, TunnelCreated } from '@filepath/protocol';
import { tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { answers, input, ready, say, startClaw } from '../e2e/liteclaw-support.ts';
import { exported } from '../integration/chat-support.ts';
import { Machine, newTunnel } from '../integration/tunnel-support.ts';

const calls = (name: string, given: Record<string, unknown>) => ({
  tools: [{ name, input: given }],
});

it('read and edit work on a directory of the user’s machine and nowhere else, with signed receipts; a stop or another token ends it', async () => {
  await using claw = await startClaw([]);
  using dir = tempDir('sky4');
  const served = join(dir.path, 'project');
  mkdirSync(served);
  writeFileSync(join(served, 'notes.md'), 'one\ntwo\n');
  writeFileSync(join(dir.path, 'secret'), 'nobody outside may read this');
  const { id } = await claw.api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });
  const chat = id ?? '';
  const rules = { policy: 'read-write', executor: 'tunnel' };
  await claw.api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', rules);
  const { token, tunnel } = await newTunnel(claw.api);
  const home = join(dir.path, 'home');
  const { url } = claw.instance;
  const machine = new Machine({ url, token, dir: served, home });
  const others: Machine[] = [];
  try {
    await machine.says('connected to');
    const page = await claw.visit(`/chat/${chat}`);
    await input(page).waitFor();
    const asks = async (text: string, ...script: object[]): Promise<void> => {
      claw.server.play({ script: [...script, { text }] });
      await say(page, 'Go on');
      await answers(page).getByText(text).waitFor();
      await ready(page);
    };
    const receipts = async () =>
      (await exported(claw.api, chat)).lines.flatMap(({ type, body }) =>
        type === 'receipt' && body.type === 'receipt.tool' ? [body] : [],
      );

    await asks(
      'It is mended.',
      calls('read', { path: 'notes.md' }),
      calls('edit', { path: 'notes.md', old: 'two', new: 'three' }),
      calls('read', { path: '../secret' }),
      calls('write', { path: 'new.md', text: 'x' }),
    );
    expect(readFileSync(join(served, 'notes.md'), 'utf8')).toBe('one\nthree\n');
    for (const name of ['read', 'edit']) {
      const card = page.locator(`[data-tool="${name}"][data-status="done"]`);
      await card.getByText('local tool executed').waitFor();
    }
    // Reading the export has checked the signatures of the machine.
    const [read, edit, outside, write] = await receipts();
    const signed = { local: { public_key: expect.any(String), signature: expect.any(String) } };
    expect(read).toMatchObject({ tool_name: 'read', executor: 'tunnel', ...signed });
    expect(edit).toMatchObject({ tool_name: 'edit', change: { path: 'notes.md' }, ...signed });
    expect(outside).toMatchObject({ error_code: 'bad_args' });
    expect(write).toMatchObject({ error_code: 'not_allowed' });
    expect(claw.server.calls.at(-1)?.request.raw).not.toContain('nobody outside');

    expect(await machine.stop()).toBe(0);
    await asks('It is away.', calls('read', { path: 'notes.md' }));
    expect((await receipts()).at(-1)).toMatchObject({ error_code: 'tunnel_away' });

    const again = new Machine({ url, token, dir: served, home });
    others.push(again);
    await again.says('connected to');
    const rotate = { action: 'rotate' };
    const path = `/api/liteclaw/tunnels/${tunnel.id}`;
    const next = await claw.api.json(TunnelCreated, 'POST', path, rotate);
    expect(next.token).not.toBe(token);
    expect(await again.exited).toBe(1);
    const old = new Machine({ url, token, dir: served, home });
    others.push(old);
    expect(await old.exited).toBe(1);
    await asks('It is still away.', calls('read', { path: 'notes.md' }));
    expect((await receipts()).at(-1)).toMatchObject({ error_code: 'tunnel_away' });
  } finally {
    for (const one of [machine, ...others]) await one.kill();
  }
});
