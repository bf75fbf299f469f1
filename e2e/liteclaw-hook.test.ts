import { fileURLToPath } from 'node:url';
import { Liteclaw } from '@filepath/protocol';
import { gate } from '@filepath/testkit';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { HookWindow } from './hook-harness.ts';
import { type ClawPage, LONG, startClaw } from './liteclaw-support.ts';

async function harness(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./hook-harness.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    conditions: ['import', 'browser'],
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}

/** A page of filepath, under its policy, with the SDK's hook in it. Shown again after each reload. */
async function hookPage(claw: ClawPage, script: string, id: string) {
  const page = await claw.visit('/docs');
  const show = async (): Promise<void> => {
    await page.evaluate(script);
    await page.evaluate((chat) => (globalThis as unknown as HookWindow).showHook(chat), id);
    // The hook reads the transcript before it connects, and is told of what comes after that.
    await expect.poll(() => isConnected(page)).toBe(true);
  };
  await show();
  return {
    page,
    reload: async () => {
      await page.reload();
      await show();
    },
  };
}

const isConnected = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { hook } = globalThis as unknown as Partial<HookWindow>;
    return hook?.agent.readyState === WebSocket.OPEN;
  });
const said = (page: Page): Promise<string[] | null> =>
  page.evaluate(() => {
    const { hook } = globalThis as unknown as Partial<HookWindow>;
    return (
      hook?.messages.map(({ parts }) =>
        parts.map(({ type, text = '' }) => (type === 'text' ? text : '')).join(''),
      ) ?? null
    );
  });
const status = (page: Page): Promise<string> =>
  page.evaluate(() => (globalThis as unknown as HookWindow).hook.status);
const say = (page: Page, text: string): Promise<void> =>
  page.evaluate((words) => {
    void (globalThis as unknown as HookWindow).hook.sendMessage({ text: words });
  }, text);

it('[CLAW3] [CLAW4] [CLAW5] the SDK’s own hook in React: stream, second device, reload in mid-stream, stop and clear', async () => {
  await using claw = await startClaw([]);
  const { id } = await claw.api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });
  const script = await harness();
  const one = await hookPage(claw, script, id ?? '');
  const other = await hookPage(claw, script, id ?? '');
  expect(await said(one.page)).toEqual([]);

  const first = gate(20);
  claw.server.play({ script: [{ text: LONG, chunk: 6, gate: first }] });
  await say(one.page, 'Hello?');
  await first.reached;
  for (const { page } of [one, other]) {
    await expect.poll(async () => (await said(page))?.[0]).toBe('Hello?');
    await expect.poll(async () => (await said(page))?.[1] ?? '').toMatch(/^word0 /);
  }
  await one.reload();
  await expect.poll(async () => (await said(one.page))?.[1] ?? '').toMatch(/^word0 /);
  first.release();
  for (const { page } of [one, other]) {
    await expect.poll(() => said(page)).toEqual(['Hello?', LONG]);
    await expect.poll(() => status(page)).toBe('ready');
  }

  const second = gate(4);
  claw.server.play({ script: [{ text: LONG, chunk: 6, gate: second }, { text: 'Next.' }] });
  await say(one.page, 'Stop me');
  await second.reached;
  await expect.poll(async () => (await said(one.page))?.[3] ?? '').toMatch(/^word/);
  await one.page.evaluate(() => (globalThis as unknown as HookWindow).hook.stop());
  await expect.poll(() => status(one.page)).toBe('ready');
  second.release();
  await say(one.page, 'And now?');
  for (const { page } of [one, other])
    await expect.poll(async () => (await said(page))?.slice(4)).toEqual(['And now?', 'Next.']);

  await one.reload();
  await expect.poll(async () => (await said(one.page))?.length).toBe(6);
  await one.page.evaluate(() => (globalThis as unknown as HookWindow).hook.clearHistory());
  for (const { page } of [one, other]) await expect.poll(() => said(page)).toEqual([]);
}, 200_000);
