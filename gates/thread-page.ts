import { Api, startBrowser, startInstance } from '@filepath/testkit';
import type { Page } from 'playwright-core';

export type ThreadPage = { page: Page; [Symbol.asyncDispose](): Promise<void> };

/** The page of a session whose agent gets `task`, says these events, and then does what `last` says. */
export async function threadPage(
  task: string,
  events: readonly object[],
  { last = '', gitRepoUrl }: { last?: string; gitRepoUrl?: string } = {},
): Promise<ThreadPage> {
  const stack = new AsyncDisposableStack();
  const instance = stack.use(await startInstance());
  const browser = stack.use(await startBrowser());
  const api = new Api(instance);
  const lines = events.map((event) => JSON.stringify(event)).join('\n');
  const script = `read -r task\nprintf '%s\\n' "$1"\n${last}`;
  const { session, node } = await api.agent(['sh', '-c', script, 'sh', lines], {
    name: 'impl',
    ...(gitRepoUrl === undefined ? {} : { gitRepoUrl }),
  });
  await api.message(node.id, task);
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  await page.goto(`${instance.url}/session/${session.id}`);
  return { page, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
