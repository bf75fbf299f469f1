import { Api, growTree, makeRepo, startBrowser, startInstance, tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';

/** Asks, says what it was told, and asks again before it ends. */
const AGENT = `read -r task
echo '{"type":"decision","id":"d1","prompt":"Delete the old table?","options":["yes","no"],"hash":"h1"}'
read -r answer
printf '{"type":"text","content":"told: %s"}\\n' "$(printf %s "$answer" | tr -d '"')"
echo '{"type":"decision","id":"d2","prompt":"And the other?","options":["yes","no"],"hash":"h2"}'`;

it('[CAT8] a question is answered with a click, from any browser, and each of them shows the answer', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session } = await api.agent(['sh', '-c', AGENT]);
  const [page, other] = [await browser.visitor(), await browser.visitor({ dark: true })];
  for (const viewer of [page, other]) {
    await viewer.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await viewer.goto(`${instance.url}/session/${session.id}`);
  }
  await page.getByTestId('message-input').fill('go');
  await page.getByTestId('message-input').press('Enter');
  const question = page.locator('[data-decision]', { hasText: 'Delete the old table?' });
  await question.locator('button:enabled', { hasText: 'yes' }).waitFor();
  await page.locator('[data-node][aria-label*="waiting for a person"]').waitFor();

  const same = other.locator('[data-decision]', { hasText: 'Delete the old table?' });
  await same.locator('button', { hasText: 'no' }).click();
  await page.locator('[data-block]', { hasText: 'choice:no' }).waitFor();
  for (const block of [question, same]) {
    await block.getByText('Answered: no').waitFor();
    expect(await block.locator('button:enabled').count()).toBe(0);
    expect(await block.locator('button[aria-pressed="true"]').allInnerTexts()).toEqual(['no']);
  }
  const gone = page.locator('[data-decision="over"]', { hasText: 'And the other?' });
  await gone.getByText('The process that asked is gone.').waitFor();
  expect(await gone.locator('button:enabled').count()).toBe(0);
});

/** Asks leave for the same command twice. */
const SAME = `read -r task
ask() { printf '%s\\n' '{"type":"decision","id":"'"$1"'","prompt":"Run this command?\\nmake all\\n(to see whether it builds)","options":["allow","allow the same again","deny"],"hash":"h","kind":"permission"}'; }
ask p1; read -r one; ask p2; read -r two
echo '{"type":"text","content":"asked twice"}'`;

it('[UIB3] [UIB14] leave is given in the thread for more than this time, and says who asked for what and why', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  using repo = tempDir('repo');
  makeRepo(repo.path);
  const options = { name: 'maker', gitRepoUrl: repo.path };
  const { session, node } = await api.agent(['sh', '-c', SAME], options);
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  await page.goto(`${instance.url}/session/${session.id}`);
  await api.message(node.id, 'go');
  const question = page.locator('[data-decision="open"]');
  await question.getByText('maker asks: Run this command?').waitFor();
  expect((await question.locator('pre').innerText()).trim()).toBe('make all');
  await question.getByText('to see whether it builds').waitFor();
  expect(await question.locator('button:enabled', { hasText: /\w/ }).allInnerTexts()).toEqual([
    'Allow once',
    'For this agent',
    'For this session',
    'Always here',
    'Deny',
  ]);
  await question.locator('[data-scope="agent"]').click();
  await page.locator('[data-block="text"]', { hasText: 'asked twice' }).waitFor();
  await page.getByText('Answered: allow', { exact: true }).waitFor();
  await page.getByText('Answered by a rule: allow', { exact: true }).waitFor();
});

it('[UIB19] [UIV11] a question whose run has ended is lapsed while its process lives; a parent that was told nothing says so below its pills', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const question = { type: 'decision', id: 'd1', prompt: 'Delete it?', options: ['yes', 'no'] };
  const grown = await growTree(api, {
    name: 'root',
    children: [{ name: 'asker', says: [question, { type: 'done' }] }],
  });
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  await page.goto(`${instance.url}/session/${grown.session.id}?node=${grown.idOf('asker')}`);
  await page.locator('[data-node][data-status="done"]').waitFor();
  const lapsed = page.locator('[data-decision="lapsed"]', { hasText: 'Delete it?' });
  await lapsed.getByText('does not wait for an answer any more').waitFor();
  expect(await lapsed.locator('button:enabled').count()).toBe(0);
  // The bell has a feed of its own.
  await page.getByTestId('attention-count').waitFor({ state: 'detached' });

  await page.locator('[data-node]', { hasText: 'root' }).click();
  await page.locator('[data-block="workers"] button', { hasText: 'asker' }).waitFor();
  const note = page.getByTestId('thread-note');
  await note.filter({ hasText: 'Send a message to activate this agent' }).waitFor();
  await page.getByTestId('message-input').fill('go');
  await page.getByTestId('message-input').press('Enter');
  await page.locator('[data-block="message"]', { hasText: 'go' }).waitFor();
  expect(await note.count()).toBe(0);
});
