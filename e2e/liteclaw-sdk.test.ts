import { fileURLToPath } from 'node:url';
import { Liteclaw } from '@filepath/protocol';
import { chance, gate } from '@filepath/testkit';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startCutProxy } from './cut-proxy.ts';
import { type ClawPage, startClaw } from './liteclaw-support.ts';
import type { SdkRead, SdkWindow } from './sdk-harness.ts';

const ROUNDS = 50;

/** A page of filepath, under its policy, with the SDK's client in it. */
async function sdkPage(claw: ClawPage, origin: string): Promise<Page> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./sdk-harness.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    conditions: ['import', 'browser'],
  });
  const page = await claw.browser.visitor();
  await page.goto(`${origin}/api/auth/sign-in/link?token=${claw.instance.token}`);
  await page.goto(`${origin}/docs`);
  await page.evaluate(outputFiles[0]?.text ?? '');
  return page;
}

const sdk = {
  open: (page: Page, id: string) =>
    page.evaluate((chat) => {
      const window = globalThis as unknown as SdkWindow;
      window.sdk = new window.SdkPage(chat);
    }, id),
  send: (page: Page, text: string) =>
    page.evaluate((said) => (globalThis as unknown as SdkWindow).sdk.send(said), text),
  read: (page: Page): Promise<SdkRead> =>
    page.evaluate(() => (globalThis as unknown as SdkWindow).sdk.read()),
  resume: (page: Page) => page.evaluate(() => (globalThis as unknown as SdkWindow).sdk.resume()),
  opens: (page: Page) => page.evaluate(() => (globalThis as unknown as SdkWindow).sdk.opens()),
  cancel: (page: Page) => page.evaluate(() => (globalThis as unknown as SdkWindow).sdk.cancel()),
  clear: (page: Page) => page.evaluate(() => (globalThis as unknown as SdkWindow).sdk.clear()),
  soFar: (page: Page) => page.evaluate(() => (globalThis as unknown as SdkWindow).sdk.soFar()),
  stored: async (page: Page): Promise<string[]> => {
    const stored = await page.evaluate(() => (globalThis as unknown as SdkWindow).sdk.stored());
    return stored.map(({ parts }) =>
      parts.map((part) => String(Reflect.get(part, 'text') ?? '')).join(''),
    );
  },
};

it('[CLAW3] [CLAW4] the SDK’s own client in Chromium: random cuts, cancel and clear', async () => {
  const luck = chance('the SDK in Chromium');
  let port = 0;
  const proxy = await startCutProxy(() => port);
  const origin = `http://127.0.0.1:${proxy.port}`;
  try {
    await using claw = await startClaw([], {
      LITECLAW_MESSAGES_PER_MINUTE: '500',
      FILEPATH_ORIGIN: origin,
    });
    ({ port } = claw.instance);
    const { id } = await claw.api.json(Liteclaw, 'POST', '/api/liteclaw', { action: 'spawn' });
    const page = await sdkPage(claw, origin);
    await sdk.open(page, id ?? '');
    const said: string[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const text = Array.from({ length: 40 + luck.below(80) }, (_, at) => `r${round}w${at}`).join(
        ' ',
      );
      const held = gate(luck.below(40));
      claw.server.play({ script: () => ({ text, chunk: 1 + luck.below(5), gate: held }) });
      await sdk.send(page, `round ${round}`);
      await held.reached;
      for (let cuts = luck.below(2); cuts >= 0; cuts -= 1) {
        const before = await sdk.opens(page);
        proxy.cut();
        await expect.poll(() => sdk.opens(page)).toBeGreaterThan(before);
        const { text: part, error } = await sdk.read(page);
        expect(error, `round ${round}`).toBe('WebSocket closed mid-stream');
        expect(text.startsWith(part)).toBe(true);
        expect(await sdk.resume(page), `round ${round}`).toBe(true);
      }
      held.release();
      expect(await sdk.read(page), `round ${round}`).toEqual({ text, error: null });
      said.push(`round ${round}`, text);
      await expect.poll(() => sdk.stored(page)).toEqual(said);
    }

    const held = gate(20);
    const text = 'cancel me '.repeat(30);
    claw.server.play({ script: [{ text, chunk: 5, gate: held }, { text: 'Next.' }] });
    await sdk.send(page, 'stop');
    await held.reached;
    await expect.poll(() => sdk.soFar(page)).not.toBe('');
    await sdk.cancel(page);
    await sdk.read(page);
    held.release();
    await expect.poll(async () => (await sdk.stored(page)).length).toBe(said.length + 2);
    const partial = (await sdk.stored(page)).at(-1) ?? '';
    expect(partial !== '' && text.startsWith(partial)).toBe(true);
    await sdk.send(page, 'next');
    expect(await sdk.read(page)).toEqual({ text: 'Next.', error: null });
    await sdk.clear(page);
    await expect.poll(() => sdk.stored(page)).toEqual([]);
  } finally {
    await proxy.close();
  }
}, 400_000);
