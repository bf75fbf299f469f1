import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startBrowser } from '@filepath/testkit';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const ENTRY = `
import { readLines } from '@filepath/protocol';
import { readSkyExport, SKY_LINE, toSkyMessage, toUiMessage } from '@filepath/protocol/sky';

globalThis.verdict = async (text) => {
  const reading = readSkyExport(readLines(new Blob([text]).stream(), SKY_LINE));
  const back = [];
  try {
    for (;;) {
      const { done, value } = await reading.next();
      if (done) return { ...value, back };
      if (value.type !== 'message') continue;
      const of = { thread_id: value.body.thread_id };
      const again = toSkyMessage(toUiMessage(value.body, of), of);
      back.push(JSON.stringify(again) === JSON.stringify(value.body));
    }
  } catch (error) {
    return { fault: error.message };
  }
};`;

it('[SKY7] an export is verified and its messages are converted in the browser', async () => {
  const file = new URL('../packages/protocol/corpus/sky-export/1.jsonl', import.meta.url);
  const text = readFileSync(file, 'utf8');
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
  });
  await using served = await servedPage();
  await using browser = await startBrowser();
  const page = await browser.visitor();
  await page.goto(served.url);
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  const verdict = (given: string): Promise<unknown> =>
    page.evaluate(`globalThis.verdict(${JSON.stringify(given)})`);
  expect(await verdict(text)).toMatchObject({ messages: 2, events: 9, back: [true, true] });
  const changed = text.replace('"status":"completed","verified"', '"status":"error","verified"');
  expect(await verdict(changed)).toEqual({
    fault: 'line 13: it is changed: it does not match its hash',
  });
});

/** An origin at which a browser has web crypto. */
async function servedPage() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
