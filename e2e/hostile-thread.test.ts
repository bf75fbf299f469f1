import { Api, follow, isType, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

/** What is too large for an argument of a process is made by the agent: `many TEXT COUNT` prints it over and over. */
const AGENT = `read -r task
many() { yes "$1" | head -n "$2" | tr -d '\\n'; }
text() { printf '{"type":"text","content":"'; "$@"; printf '"}\\n'; }
printf '%s\\n' "$1"
text many '>' 10000
text many '> - ' 10000
text many '[' 10000
text many '![a](' 10000
text many 'a_' 10000
text many '\\u202e' 5000
text many '$a ' 5000
table() { printf '|a|b|\\\\n|-|-|\\\\n'; many '|x|y|\\n' 20000; }
text table
wide() { many '|a' 3000; printf '|\\\\n'; many '|-' 3000; printf '|\\\\n'; many '|x' 3000; }
text wide
text many 'x' 250000
printf '{"type":"command","cmd":"one line","status":"error","exit":1,"stdout":"'; many 'y' 250000; printf '"}\\n'
printf '{"type":"command","cmd":"many lines","status":"error","exit":1,"stdout":"'; many 'z\\n' 50000; printf '"}\\n'
printf '{"type":"tool","name":"edit","path":"a","status":"error","diff":"'; many '+a\\n' 40000; printf '"}\\n'
printf '{"type":"text","content":"'; many 'w' 900000; printf '"}\\n'
echo '{"type":"done","summary":"all of it was said"}'`;

const SAID = [
  { type: 'text', content: '<script>document.title="1"</script>\n\n<img src=https://evil.test/a>' },
  { type: 'text', content: '![pixel](https://evil.test/b.png) ![x](data:image/svg+xml,<svg/>)' },
  { type: 'text', content: '[run](javascript:document.title=1) [ok](https://example.org/x)' },
  {
    type: 'text',
    content: '$\\href{javascript:alert(1)}{x}$ and $\\includegraphics{//evil.test/c}$',
  },
  { type: 'text', content: '```html\n<img src=//evil.test/d onerror=alert(1)>\n```' },
  { type: 'text', content: 'pay\u202E\u2066gnp.exe' },
  {
    type: 'command',
    cmd: 'printf \u202Etxt',
    status: 'error',
    exit: 1,
    stdout: '\u001B[31mred\u001B[0m\u001B]0;title\u0007\u001B[2Jend\u0000\u009B31m',
  },
];

it('[UIB15] a hostile thread is text: nothing runs, nothing is loaded, nothing hangs', async () => {
  await using instance = await startInstance();
  // It fails on a request to another host, and on an error of the page.
  await using browser = await startBrowser();
  const api = new Api(instance);
  const lines = SAID.map((event) => JSON.stringify(event)).join('\n');
  const { session, node } = await api.agent(['sh', '-c', AGENT, 'sh', lines]);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('exit'));
  feed.close();

  const page = await browser.visitor();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(instance.signInUrl);
  await page.goto(`${instance.url}/session/${session.id}`);
  await page.getByText('all of it was said').waitFor();

  const shown = page.locator('main');
  await shown.locator('[data-block] a[href="https://example.org/x"]').waitFor();
  expect(await shown.locator('img, script, iframe, object, embed').count()).toBe(0);
  expect(await shown.locator('[style*="url("]').count()).toBe(0);
  const links = await shown
    .locator('[data-block] a')
    .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.getAttribute('rel')]));
  const rel = 'noopener noreferrer nofollow';
  expect(links).toContainEqual(['https://example.org/x', rel]);
  expect(links).toContainEqual(['https://evil.test/b.png', rel]);
  for (const [href, kind] of links)
    expect([href, kind]).toEqual([expect.stringMatching(/^https:\/\//), rel]);
  await shown.getByText('<script>document.title="1"</script>').waitFor();
  await shown.getByText('[run](javascript:document.title=1)').waitFor();
  await shown.getByText('pay⟨U+202E⟩⟨U+2066⟩gnp.exe').waitFor();
  await shown.locator('.ink-red', { hasText: /^red$/ }).waitFor();
  await shown.locator('pre', { hasText: 'redend␀⟨U+009B⟩31m' }).waitFor();
  await shown.locator('pre', { hasText: '246000 more characters' }).waitFor();
  await shown.getByText('show 2000 more of 50000 lines').waitFor();
  await shown.getByText(/more of 20000 rows/).waitFor();
  await shown.getByText('2960 more columns are not shown').waitFor();
  expect(await shown.innerHTML()).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  // The page is still quick: it does not hold more of all this than can be read.
  expect(await shown.locator('*').count()).toBeLessThan(20_000);
  await page.getByTestId('message-input').fill('still here');
  expect(await page.getByTestId('message-input').inputValue()).toBe('still here');
  expect(await page.title()).not.toBe('1');
  expect(complaints).toEqual([]);
});

it('[UIB15] the page lets no script run but its own', async () => {
  await using instance = await startInstance();
  const html = await (await fetch(instance.url)).text();
  const [, policy = ''] =
    /http-equiv="content-security-policy" content="([^"]+)"/i.exec(html) ?? [];
  const directive = (name: string): string =>
    policy.split(';').find((each) => each.trim().startsWith(`${name} `)) ?? '';
  expect(directive('script-src')).toMatch(/'self'/);
  expect(directive('script-src')).not.toMatch(/unsafe-inline|unsafe-eval|https?:|data:|\*/);
  expect(directive('style-src')).not.toMatch(/unsafe-inline/);
  expect(directive('img-src')).not.toMatch(/https?:|\*/);
  expect(policy).toMatch(/require-trusted-types-for 'script'/);
});
