import { Api, startBrowser, startInstance } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

/** Works until it is told to end; asks once on the way. */
const AGENT = `read -r task
echo '{"type":"status","state":"running"}'
read -r ask
printf '{"type":"decision","id":"p1","prompt":"Run make?","options":["allow","deny"],"hash":"h","kind":"permission"}\\n'
read -r answer
read -r last
echo '{"type":"done"}'
read -r more`;

const icon = (page: Page) => page.locator('link[rel="icon"]').getAttribute('href');

async function controlled(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null))
    .toBe(true);
}

it('[UIH6] title and icon of a tab tell what its tree does, and before that what waits for a person', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', AGENT]);
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}`);
  const name = session.name;
  const titled = async (title: string) => {
    await expect.poll(() => page.title()).toBe(title);
  };

  await titled(`${name} · filepath`);
  await api.message(node.id, 'begin');
  await titled(`● ${name} · filepath`);
  expect(await icon(page)).toBe('/icons/running.svg');
  await api.message(node.id, 'ask');
  await titled(`(1) ${name} · filepath`);
  expect(await icon(page)).toBe('/icons/waiting.svg');
  await page.getByTestId('attention').click();
  await page.locator('[data-attention] button', { hasText: 'allow' }).click();
  await titled(`● ${name} · filepath`);
  await api.message(node.id, 'last');
  await titled(`✓ ${name} · filepath`);
  expect(await icon(page)).toBe('/icons/done.svg');
});

it('[UIH7] one who asked for it by a click is notified, while looking elsewhere, of what waits and of a tree that is done', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', AGENT], { name: 'asker' });
  const page = await browser.visitor();
  await page.context().grantPermissions(['notifications']);
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}`);
  await controlled(page);
  // A browser that is asked for its list while it shows a notice may forget it: what was shown is noted as it is.
  await page.evaluate(async () => {
    const worker = await navigator.serviceWorker.ready;
    const { prototype } = ServiceWorkerRegistration;
    const show = prototype.showNotification.bind(worker);
    const shown: string[] = [];
    Reflect.set(globalThis, 'shown', shown);
    prototype.showNotification = async (title, options) => {
      await show(title, options);
      shown.push(title);
    };
  });
  const told = () => page.evaluate((): unknown => Reflect.get(globalThis, 'shown'));
  await api.message(node.id, 'begin');
  await page.getByTestId('attention').click();
  await page.getByTestId('notify').click();
  await page.getByText('You are notified').waitFor();

  // Another tab is looked at.
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setFocusEmulationEnabled', { enabled: false });
  const other = await page.context().newPage();
  await other.goto(`${instance.url}/sign-in`);
  await other.bringToFront();
  await expect.poll(() => page.evaluate(() => document.hasFocus())).toBe(false);
  await api.message(node.id, 'ask');
  await expect.poll(told).toEqual(['asker waits for you']);
  await api.message(node.id, 'never mind');
  await api.message(node.id, 'last');
  await expect.poll(told).toContain(`${session.name} is done`);
});

it('[UIH8] without a connection the page says so, opens from its cache, keeps nothing of the API, and goes on by itself', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session } = await new Api(instance).agent(['cat'], { name: 'root' });
  const page = await browser.visitor();
  const notice = page.getByTestId('offline-notice');
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await controlled(page);
  await page.goto(`${instance.url}/session/${session.id}`);
  await page.locator('[data-node]').first().waitFor();
  expect(await notice.getAttribute('data-state')).toBe('live');

  await page.context().setOffline(true);
  await page.locator('[data-testid="offline-notice"][data-state="away"]').waitFor();
  await page.context().setOffline(false);
  await page
    .locator('[data-testid="offline-notice"][data-state="live"]')
    .waitFor({ state: 'attached' });

  await page.waitForFunction(() => performance.getEntriesByName('parts-fetched').length > 0);
  await instance.killProcess();
  await page.locator('[data-testid="offline-notice"][data-state="unreached"]').waitFor();
  const said = async (): Promise<string[]> =>
    (await page.getByRole('status').allInnerTexts()).filter((text) =>
      /connect|offline/i.test(text),
    );
  await expect.poll(said).toEqual(['Not connected. Trying again…']);
  await page.reload();
  await page.locator('[data-testid="offline-notice"][data-state="unreached"]').waitFor();
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const caught = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return caught.flat().map((request) => new URL(request.url).pathname);
  });
  expect(kept).toContain('/');
  await page.getByTestId('session-unread').getByText('It is tried again by itself.').waitFor();
  await page.getByTestId('attention').click();
  await page.getByText('it is not known what waits for you').waitFor();
  expect(kept.filter((path) => path.startsWith('/api/'))).toEqual([]);

  await instance.start();
  await page
    .locator('[data-testid="offline-notice"][data-state="live"]')
    .waitFor({ state: 'attached' });
  await page.locator('[data-node]', { hasText: 'root' }).waitFor();
});

it('[UIH9] the page can be installed: manifest, icons and worker are there; a new version is announced, and its page is the one that loads', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const page = await browser.visitor();
  await page.goto(`${instance.url}/sign-in`);
  await controlled(page);
  const cdp = await page.context().newCDPSession(page);
  const { errors } = await cdp.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
  // The one reason against it is the test's own: its browser keeps nothing.
  expect(installabilityErrors.map((one) => one.errorId)).toEqual(['in-incognito']);

  // What the page fetches at rest is asked of the worker that is there, which goes only when it has nothing to do.
  await page.waitForFunction(() => performance.getEntriesByName('parts-fetched').length > 0);

  // A page that came past the worker is taken by it all the same.
  const reloaded = page.waitForEvent('load');
  await cdp.send('Page.reload', { ignoreCache: true });
  await reloaded;
  await controlled(page);
  await page.waitForFunction(() => performance.getEntriesByName('parts-fetched').length > 0);

  // A worker that counts as another build comes with a second tab, and takes both over.
  const other = await page.context().newPage();
  const workers = await page.context().newCDPSession(other);
  await workers.send('ServiceWorker.enable');
  await workers.send('ServiceWorker.setForceUpdateOnPageLoad', { forceUpdateOnPageLoad: true });
  await other.goto(`${instance.url}/sign-in`);
  await workers.detach();
  await page.getByTestId('update-notice').waitFor();
  await page.getByTestId('update-notice').getByRole('button', { name: 'Reload' }).click();
  await page.getByTestId('update-notice').waitFor({ state: 'detached' });
});
