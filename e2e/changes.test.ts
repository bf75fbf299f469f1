import { AxeBuilder } from '@axe-core/playwright';
import {
  Api,
  follow,
  git,
  isType,
  makeRepo,
  scriptAgent,
  startBrowser,
  startInstance,
  tempDir,
  type Instance,
} from '@filepath/testkit';
import { Node, type ThreadId } from '@filepath/protocol';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const LINES = Array.from({ length: 40 }, (_, n) => `${n + 1}\n`).join('');
const LONG = Array.from({ length: 700 }, (_, n) => `old ${n + 1}\n`).join('');

/** A root and two children that have both changed line 5; the second changed more. */
async function family(instance: Instance, gitRepoUrl: string) {
  const api = new Api(instance);
  const { command } = scriptAgent('obedient');
  const { session, node: lead } = await api.agent(command, { gitRepoUrl, name: 'lead' });
  const say = async (id: ThreadId, content: string): Promise<void> => {
    const feed = follow(instance, id);
    const seq = await api.message(id, content);
    await feed.until((event) => event.seq > seq && isType('done')(event));
    feed.close();
  };
  const made = async (name: string, task: string): Promise<ThreadId> => {
    const create = { agentType: 'custom', name, parentId: lead.id, config: { command } };
    const path = `/api/session/${session.id}/node`;
    const { id } = (await api.json(z.object({ node: Node }), 'POST', path, create)).node;
    await say(id, task);
    return id;
  };
  await say(lead.id, 'do true');
  const one = await made('one', 'do sed -i s/^5$/five/ text; git commit -qam five');
  const two = await made(
    'two',
    'do sed -i s/^5$/FIVE/ text; sed -i s/^30$/thirty/ text; git mv moved.txt folder/moved.txt; git rm -q gone.txt; ' +
      'head -c 64 /dev/zero > image.bin; sed -i s/old/new/ long.txt; git add -A; git commit -qm FIVE; echo more > later.txt',
  );
  return { api, session, lead: lead.id, one, two, say };
}

it('[UIC1] [UIC2] [UIC3] [UIC4] [UIC5] [UIC6] [UIC7] [UIT16] the changes of an agent are read, commented on, merged, given away in conflict and pushed', async () => {
  using dir = tempDir('filepath-repo');
  makeRepo(join(dir.path, 'repo'), [
    {
      message: 'first',
      files: {
        text: LINES,
        'long.txt': LONG,
        'gone.txt': 'gone\n',
        'moved.txt': 'it is moved\nas it is\n',
        'folder/kept.txt': 'kept\n',
      },
    },
  ]);
  git(dir.path, 'clone', '--quiet', '--bare', 'repo', 'remote.git');
  const remote = join(dir.path, 'remote.git');
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session, one, two, say } = await family(instance, remote);
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}?node=${two}`);

  // The tree says of both that they overlap, and with whom.
  for (const id of [one, two]) {
    await page.locator(`[data-node="${id}"] [data-meeting="overlaps"]`).waitFor();
  }
  const row = page.locator(`[data-node="${two}"]`);
  expect(await row.getAttribute('aria-label')).toBe('two, done, overlaps');
  await row.hover();
  await page.getByTestId('tree-tip').filter({ hasText: 'with one: text' }).waitFor();

  // The files, with what happened to each.
  await page.getByTestId('changes-toggle').click();
  const file = (path: string) => page.locator(`[data-file="${path}"]`);
  await file('text').getByText('FIVE').waitFor();
  expect(new URL(page.url()).searchParams.get('view')).toBe('changes');
  const shows = (testId: string, text: string | RegExp): Promise<void> =>
    page.getByTestId(testId).filter({ hasText: text }).waitFor();
  await shows('changes-count', '7 files +705 −705');
  await file('folder/moved.txt').getByText('renamed from moved.txt').waitFor();
  await file('image.bin').getByText('binary', { exact: true }).waitFor();
  await file('gone.txt').getByText('deleted').waitFor();
  await file('later.txt').getByText('not committed').waitFor();
  await shows('changes-base', /^[0-9a-f]{7} → [0-9a-f]{7}$/);

  // What no commit holds is neither merged nor pushed, which both dialogs say.
  for (const [opens, done] of [
    ['merge', 'merged'],
    ['push', 'pushed'],
  ] as const) {
    await page.getByTestId(opens).click();
    await shows(
      'uncommitted',
      `One file has changes that are not committed: only commits are ${done}.`,
    );
    await page.keyboard.press('Escape');
    await page.getByTestId('uncommitted').waitFor({ state: 'detached' });
  }

  // A long one is closed, then cut, then whole.
  await file('long.txt').getByTestId('file-toggle').click();
  await file('long.txt').getByTestId('show-all').click();
  await file('long.txt').getByText('new 700').waitFor();
  await file('long.txt').getByTestId('file-toggle').click();

  // Who else changed these lines: in the file, and at the part of it.
  await shows('overlap', 'one changed the same lines.');
  await file('text').getByTestId('overlap-lines').first().waitFor();
  expect(await file('text').getByTestId('overlap-lines').count()).toBe(1);
  expect(await file('text').locator('tr.hunk').count()).toBe(2);

  // Filter, sides and marks are kept by the browser.
  await page.getByTestId('changes-filter').fill('moved');
  await file('text').waitFor({ state: 'detached' });
  await page.getByTestId('changes-filter').fill('');
  await page.getByTestId('split').click();
  await file('text').locator('table.split').waitFor();
  await page.getByLabel('folder/moved.txt is viewed').check();
  await page.reload();
  await file('text').locator('table.split').waitFor();
  expect(await page.getByLabel('folder/moved.txt is viewed').isChecked()).toBe(true);
  expect(await page.getByLabel('text is viewed', { exact: true }).isChecked()).toBe(false);
  await page.getByTestId('unified').click();

  // Comments on a line and on a range, sent as one message.
  await file('text').getByLabel('Comment on line 5', { exact: true }).click();
  await page.getByTestId('comment-text').fill('Why so loud?');
  await page.getByTestId('comment-add').click();
  await file('text').getByLabel('Comment on line 29').focus();
  await page.keyboard.press('Enter');
  await file('text')
    .getByLabel('Comment on line 31')
    .click({ modifiers: ['Shift'] });
  await page.getByTestId('comment-text').fill('do true');
  await page.keyboard.press('Control+Enter');
  await shows('comments-bar', '2 comments for two');
  await page.getByTestId('comments-send').click();
  await page.getByTestId('comments-sent').waitFor();
  const events = await new Api(instance).events(two);
  const said = events.findLast(({ source }) => source === 'user');
  const content = z.object({ content: z.string() }).parse(said?.body).content;
  expect(content).toMatch(/^2 comments on your changes at [0-9a-f]{7}:/);
  expect(content).toContain('text:5\n> FIVE\nWhy so loud?');
  expect(content).toContain('text:29-31\n> 29\n> thirty\n> 31\ndo true');

  // What the agent commits appears by itself.
  await say(two, 'do echo more >> later.txt; git add -A; git commit -qm later');
  await file('later.txt').getByText('not committed').waitFor({ state: 'detached' });
  await file('later.txt').waitFor();

  // The first merge goes through, the second is a conflict, which is given away.
  const merge = async (): Promise<void> => {
    await page.getByTestId('merge').click();
    await page.getByTestId('merge-confirm').click();
  };
  const open = (id: ThreadId) =>
    page.goto(`${instance.url}/session/${session.id}?node=${id}&view=changes`);
  await open(one);
  await merge();
  await shows('bringing-told', /^\s*Merged into lead as [0-9a-f]{7}, fast-forward\./);
  await open(two);
  await merge();
  const conflict = page.getByTestId('conflict');
  await shows('conflict', 'two cannot be merged into lead');
  expect(await conflict.getByTestId('resolve-parent').textContent()).toBe('lead');
  await conflict.getByTestId('resolve-new').click();
  const holder = conflict.getByRole('link', { name: 'merge-two' });
  await holder.click();
  await page.getByRole('heading', { name: 'merge-two', level: 1 }).waitFor();
  await page.getByTestId('changes-toggle').click();
  await shows('changes-count', '7 files');
  // When it is done, both are merged by themselves.
  await open(two);
  await page.getByTestId('changes-count').waitFor();
  await conflict.waitFor({ state: 'detached' });
  await merge();
  await shows('bringing-told', 'lead has all of it already');

  await page.getByTestId('push').click();
  await page.getByTestId('push-branch').fill('feature/loud');
  await page.getByTestId('push-confirm').click();
  await shows('bringing-told', 'to feature/loud of');
  expect(git(remote, 'show', 'feature/loud:text')).toContain('FIVE');
});

it('[DIFF3] a change that is too long is shown as far as it fits, and the rest is not offered', async () => {
  using dir = tempDir('filepath-repo');
  makeRepo(dir.path, [{ message: 'first', files: { text: LINES } }]);
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(scriptAgent('obedient').command, {
    gitRepoUrl: dir.path,
  });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'do seq 1 200000 > huge.txt');
  await feed.until(isType('done'));
  feed.close();
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}?node=${node.id}&view=changes`);
  const file = page.locator('[data-file="huge.txt"]');
  await file.getByTestId('file-toggle').click();
  await file.getByRole('button', { name: 'Load this file' }).click();
  await file.getByTestId('too-long').filter({ hasText: 'The rest of its changes' }).waitFor();
  await file.getByText('+200000').waitFor();
  await expect.poll(() => file.locator('tr').count()).toBeGreaterThan(300);
  // What was loaded is there, too, when the changes are read again.
  const read = page.waitForResponse((response) =>
    response.url().endsWith('/changes?file=huge.txt'),
  );
  await page.getByRole('button', { name: 'Read the workspace again' }).click();
  await read;
  await file.getByTestId('too-long').filter({ hasText: 'The rest of its changes' }).waitFor();
  expect(await file.locator('tr').count()).toBeGreaterThan(300);
  expect(await file.getByRole('button', { name: 'Load this file' }).count()).toBe(0);
});

it('[UIC8] axe finds no fault in the changes of an agent while a comment is written, in either theme', async () => {
  using dir = tempDir('filepath-repo');
  makeRepo(dir.path, [{ message: 'first', files: { text: '4\n5\n6\n' } }]);
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(scriptAgent('obedient').command, {
    gitRepoUrl: dir.path,
  });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'do sed -i s/^5$/five/ text; git commit -qam five; echo > new.txt');
  await feed.until(isType('done'));
  feed.close();
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}?node=${node.id}&view=changes`);
  await page.getByLabel('Comment on line 2', { exact: true }).click();
  await page.getByTestId('comment-text').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
});
