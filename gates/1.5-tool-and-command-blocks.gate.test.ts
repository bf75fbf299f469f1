import { expect, it } from 'vitest';
import { threadPage } from './thread-page.ts';

it('blocks are one line with mark, name and path; a click shows the output, another hides it', async () => {
  await using opened = await threadPage('go', [
    { type: 'tool', name: 'read', path: 'src/a.ts', status: 'done', output: 'of the tool' },
    { type: 'command', cmd: 'make', status: 'done', exit: 0, stdout: '\u001B[32mof the command' },
    { type: 'command', cmd: 'make test', status: 'error', exit: 2, stderr: 'it failed' },
  ]);
  const { page } = opened;
  const tool = page.locator('[data-block="tool"]');
  const [made, failed] = [
    page.locator('[data-block="command"]').first(),
    page.locator('[data-block="command"]').nth(1),
  ];
  await failed.waitFor();
  expect(await tool.locator('summary').innerText()).toMatch(/done:\s*read\s*src\/a\.ts/);
  expect(await made.locator('summary').innerText()).toMatch(/make[^]*exit 0/);
  for (const [block, output] of [
    [tool, 'of the tool'],
    [made, 'of the command'],
  ] as const) {
    expect((await block.locator('summary').boundingBox())?.height).toBe(32);
    expect(await block.locator('summary svg').count()).toBeGreaterThan(0);
    expect(await block.getByText(output).count()).toBe(0);
    await block.locator('summary').click();
    await block.locator('pre', { hasText: output }).waitFor();
    await block.locator('summary').click();
    await block.getByText(output).waitFor({ state: 'detached' });
  }
  await made.locator('summary').click();
  expect(await made.locator('.ink-green').innerText()).toBe('of the command');
  // What failed is open by itself.
  await failed.locator('pre', { hasText: 'it failed' }).waitFor();
  expect(await failed.locator('summary').innerText()).toMatch(/failed:[^]*make test[^]*exit 2/);
});
