import { makeRepo, tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { threadPage } from './thread-page.ts';

const COMMITS = [
  'read -r go',
  ...['verify: signature first', 'test: retired keys'].map(
    (message) => `git -c user.name=a -c user.email=a@b commit -q --allow-empty -m '${message}'`,
  ),
  'read -r more',
].join('\n');

it('commits are rows below a header with their number and branch; the hash has the accent', async () => {
  using repo = tempDir('repo');
  makeRepo(repo.path);
  await using opened = await threadPage('go', [{ type: 'text', content: 'I begin.' }], {
    last: COMMITS,
    gitRepoUrl: repo.path,
  });
  const { page } = opened;
  // What an agent says while it commits may come between its commits.
  await page.locator('[data-block="text"]', { hasText: 'I begin.' }).waitFor();
  await page.getByTestId('message-input').fill('commit');
  await page.getByTestId('message-input').press('Enter');
  const log = page.locator('[data-block="commits"]');
  await log.getByText('2 commits').waitFor();
  expect(await log.locator('.message').allInnerTexts()).toEqual([
    'verify: signature first',
    'test: retired keys',
  ]);
  expect(await log.locator('.branch').innerText()).toMatch(/^filepath\/impl/);
  expect(await log.locator('.bar svg').count()).toBe(1);
  const hash = log.locator('.hash').first();
  expect(await hash.innerText()).toMatch(/^[0-9a-f]{7}$/);
  expect(await hash.evaluate((element) => getComputedStyle(element).color)).toBe(
    'rgb(79, 70, 229)',
  );
});
