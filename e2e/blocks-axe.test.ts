import { AxeBuilder } from '@axe-core/playwright';
import { Api, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

const TEXT = `### A heading

Prose with \`code\`, **weight**, [a link](https://example.org) and $x^2$.

- [x] done
- [ ] to do

> a quote

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`json
{ "a": [1, true, "x"] }
\`\`\`

\`\`\`
no language
\`\`\``;

const INKS = [30, 31, 32, 33, 34, 35, 36, 37, 41, 42, 44, 1, 2, 7]
  .map((code) => `\u001B[${code}m colour ${code} \u001B[0m`)
  .join('\n');

const EVENTS = [
  { type: 'text', content: TEXT },
  {
    type: 'tool',
    name: 'edit',
    path: 'a.ts',
    status: 'done',
    diff: '@@ -1,2 +1,2 @@ f()\n same\n-const ttl = 3600;\n+const ttl = 900;',
  },
  { type: 'command', cmd: 'make', status: 'error', exit: 2, stdout: INKS },
  { type: 'commit', hash: 'a'.repeat(40), message: 'one' },
  { type: 'plan', steps: [{ title: 'one', status: 'active' }, { title: 'two' }] },
  { type: 'log', level: 'error', message: 'it failed' },
  {
    type: 'decision',
    id: 'd',
    prompt: 'Run this command?\nmake all\n(to see)',
    options: ['allow', 'deny'],
    kind: 'permission',
  },
];

it('[UIB17] blocks can be read and used by everybody, in both themes', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const lines = EVENTS.map((event) => JSON.stringify(event)).join('\n');
  const script = `read -r task\nprintf '%s\\n' "$1"\nread -r answer`;
  const { session, node } = await api.agent(['sh', '-c', script, 'sh', lines]);
  await api.message(node.id, 'go with `code`');
  for (const dark of [false, true]) {
    const page = await browser.visitor({ dark });
    await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await page.goto(`${instance.url}/session/${session.id}`);
    await page.locator('[data-decision="open"]').waitFor();
    await page.locator('[data-language="json"] .constant').first().waitFor();
    await page.locator('[data-math="formula"] math').waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.html).join(', ')}`),
    ).toEqual([]);
  }
});
