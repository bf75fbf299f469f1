import { Api, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { scripts } from '../bench/web/first-load.ts';
import { ownersPage } from '../bench/web/measure.ts';

const MOST_KB = 170;

it('[UIV13] the first load of the dashboard and of a session is small', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session, node } = await new Api(instance).agent(['true']);
  const page = await ownersPage(browser, instance);
  const url = `${instance.url}/session/${session.id}?node=${node.id}`;
  const dashboard = await scripts(page, `${instance.url}/`, '[data-testid="new-session"]');
  const view = await scripts(page, url, '[data-testid="message-input"]');
  for (const loaded of [dashboard, view]) {
    expect(loaded).toBeGreaterThan(10);
    expect(loaded).toBeLessThanOrEqual(MOST_KB);
  }
});
