import { AxeBuilder } from '@axe-core/playwright';
import { Api, growTree, type Grown, type Instance, type Planted } from '@filepath/testkit';
import { startBrowser, startInstance, type TestBrowser } from '@filepath/testkit';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RUNNING = [{ type: 'status', state: 'running' }];
const ASKS = [
  ...RUNNING,
  { type: 'decision', id: 'd1', prompt: 'Reach example.org?', options: ['allow', 'deny'] },
];
const PLANT: Planted = {
  name: 'root',
  children: [
    { name: 'plan', children: [{ name: 'db' }, { name: 'api' }] },
    {
      name: 'impl',
      children: [
        { name: 'jwt', says: [{ type: 'done' }] },
        { name: 'limits', says: ASKS },
        { name: 'tokens', says: RUNNING },
      ],
    },
    { name: 'review', says: [{ type: 'status', state: 'error', reason: 'tests fail' }] },
  ],
};
const ALL = ['root', 'plan', 'db', 'api', 'impl', 'jwt', 'limits', 'tokens', 'review'];

let instance: Instance;
let browser: TestBrowser;
let api: Api;
/** What the pages complained of. */
const complaints: string[] = [];
beforeAll(async () => {
  instance = await startInstance({ FILEPATH_MAX_DEPTH: '3' });
  browser = await startBrowser();
  api = new Api(instance);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await instance[Symbol.asyncDispose]();
});

type Opened = { page: Page; grown: Grown; row: (name: string) => Locator };

/** A tree of its own on a page of its own. */
async function open(plant: Planted = PLANT, selected = 'root'): Promise<Opened> {
  const grown = await growTree(api, plant);
  const page = await browser.visitor();
  page.on('console', (said) => {
    // A refused move is a failed request, too.
    if (said.type() === 'error' && !said.text().includes('409')) complaints.push(said.text());
  });
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${grown.session.id}?node=${grown.idOf(selected)}`);
  const row = (name: string): Locator => page.locator(`[data-node="${grown.idOf(name)}"]`);
  await row(plant.name).waitFor();
  return { page, grown, row };
}

const names = (page: Page): Promise<string[]> => page.locator('[data-node] .name').allInnerTexts();

/** Waits until the rows are these, from top to bottom. */
async function shows(page: Page, ...wanted: string[]): Promise<void> {
  await expect.poll(() => names(page)).toEqual(wanted);
}

/** Waits until the focus is on a row with this name. */
async function focused(page: Page, name: string): Promise<void> {
  await page.locator('[data-node]:focus', { hasText: name }).waitFor();
}

/** Of a part of the page; a menu is in no landmark. */
async function axe(page: Page, part: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .include(part)
    .disableRules('region')
    .analyze();
  return violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`,
  );
}

describe('the keys of the tree', () => {
  it('[UIT3] go through the rows, open and close branches, and select', async () => {
    const { page, grown, row } = await open();
    await shows(page, ...ALL);
    await row('root').focus();
    await page.keyboard.press('ArrowDown');
    await focused(page, 'plan');
    await page.keyboard.press('ArrowLeft');
    await shows(page, ...ALL.filter((name) => name !== 'db' && name !== 'api'));
    expect(await row('plan').getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('End');
    await focused(page, 'review');
    await page.keyboard.press('Home');
    await focused(page, 'root');
    await page.keyboard.press('j');
    await focused(page, 'jwt');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**?node=${grown.idOf('jwt')}`);
    await page.locator('[data-node][aria-selected="true"]', { hasText: 'jwt' }).waitFor();

    await page.reload();
    await shows(page, ...ALL.filter((name) => name !== 'db' && name !== 'api'));
    await row('root').focus();
    await page.keyboard.press('Shift+P');
    await focused(page, 'plan');
    await page.keyboard.press('Space');
    await shows(page, ...ALL);
  });

  it('[UIT3] rename in place; Escape leaves the name as it was', async () => {
    const { page, row, grown } = await open();
    await row('api').focus();
    await page.keyboard.press('F2');
    await page.getByTestId('rename').fill('nothing');
    await page.keyboard.press('Escape');
    await focused(page, 'api');
    await page.keyboard.press('F2');
    await page.getByTestId('rename').fill('routes');
    await page.keyboard.press('Enter');
    await focused(page, 'routes');
    const { nodes } = await api.tree(grown.session.id);
    expect(nodes.find(({ id }) => id === grown.idOf('api'))?.name).toBe('routes');
  });

  it('[UIT3] spawn below, pause, resume, stop after a question, delete after a question', async () => {
    const { page, row, grown } = await open();
    const statusOf = async (name: string) => {
      const { nodes } = await api.tree(grown.session.id);
      const node = nodes.find(({ id }) => id === grown.idOf(name));
      return node && `${node.status} ${node.reason ?? ''}`.trim();
    };
    await row('plan').focus();
    await page.keyboard.press('n');
    const form = page.getByRole('dialog', { name: /plan/ });
    await form.waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('node')).toBe(grown.idOf('plan'));

    await page.locator(`[data-node="${grown.idOf('tokens')}"][data-status="running"]`).waitFor();
    await row('tokens').click();
    await row('tokens').focus();
    const typing = page.getByTestId('typing');
    await typing.waitFor();
    await page.keyboard.press('p');
    await expect.poll(() => statusOf('tokens')).toBe('running paused');
    await page.locator('[data-node][aria-label*="paused"]', { hasText: 'tokens' }).waitFor();
    await typing.waitFor({ state: 'detached' });
    await page.keyboard.press('p');
    await expect.poll(() => statusOf('tokens')).toBe('running');
    await page.locator('[data-node]:not([aria-label*="paused"])', { hasText: 'tokens' }).waitFor();
    await typing.waitFor();

    await row('impl').focus();
    await page.keyboard.press('s');
    await page.getByText(/agents? below it works?/).waitFor();
    expect(await statusOf('tokens')).toBe('running');
    await page.getByTestId('confirm').click();
    await expect.poll(() => statusOf('tokens')).toBe('idle stopped');

    await row('plan').focus();
    await page.keyboard.press('Delete');
    await page.getByText(/2 agents below it.*3 homes/).waitFor();
    await page.getByTestId('confirm').click();
    await shows(page, ...ALL.filter((name) => !['plan', 'db', 'api'].includes(name)));
    await focused(page, 'impl');
  });

  it('[UIT10] are shown by ?, and / searches', async () => {
    const { page } = await open();
    await page.getByTestId('message-input').press('?');
    expect(await page.getByTestId('keys').count()).toBe(0);
    await page.getByTestId('tree-find').focus();
    await page.keyboard.press('?');
    for (const name of ['In the tree', 'In the input', 'Everywhere'])
      await page
        .getByTestId('keys')
        .getByRole('region', { name })
        .getByRole('term')
        .first()
        .waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('keys').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.locator('[data-testid="tree-search"]:focus').waitFor();
  });
});

describe('the order of the tree', () => {
  it('[UIT4] [UIT5] [UIT6] changes by mouse and keys; a refusal is undone and said', async () => {
    const { page, row, grown } = await open();
    await shows(page, ...ALL);
    await row('review').focus();
    await page.keyboard.press('Alt+ArrowUp');
    const moved = ['root', 'plan', 'db', 'api', 'review', 'impl', 'jwt', 'limits', 'tokens'];
    await shows(page, ...moved);
    await focused(page, 'review');
    await expect
      .poll(async () => {
        const { nodes } = await api.tree(grown.session.id);
        return nodes
          .filter(({ parentId }) => parentId === grown.idOf('root'))
          .toSorted((a, b) => a.sortOrder - b.sortOrder)
          .map(({ name }) => name);
      })
      .toEqual(['plan', 'review', 'impl']);

    const drag = async (from: string, to: string, part: number): Promise<void> => {
      const [start, end] = [await row(from).boundingBox(), await row(to).boundingBox()];
      if (!start || !end) throw new Error('the rows are not in sight');
      await page.mouse.move(start.x + 90, start.y + 14);
      // What tells of the row is not in the way of where it goes.
      await page.getByTestId('tree-tip').filter({ hasText: from }).waitFor();
      await page.mouse.down();
      await page.mouse.move(start.x + 95, start.y + 22, { steps: 2 });
      await page.mouse.move(end.x + 95, end.y + end.height * part, { steps: 4 });
      await page.getByTestId('tree-tip').waitFor({ state: 'detached' });
    };
    await drag('db', 'review', 0.05);
    await page.getByTestId('drop-line').waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('drop-line').waitFor({ state: 'detached' });
    await page.mouse.up();
    await shows(page, ...moved);

    await drag('db', 'review', 0.5);
    await page.locator(`[data-node="${grown.idOf('review')}"].into`).waitFor();
    await page.mouse.up();
    await shows(page, 'root', 'plan', 'api', 'review', 'db', 'impl', 'jwt', 'limits', 'tokens');
    const under = async (name: string) => {
      const { nodes } = await api.tree(grown.session.id);
      return nodes.find(({ id }) => id === grown.idOf(name))?.parentId;
    };
    await expect.poll(() => under('db')).toBe(grown.idOf('review'));

    // Three levels are all that this instance allows.
    await drag('review', 'api', 0.5);
    await page.mouse.up();
    await page.getByTestId('tree-problem').waitFor();
    await shows(page, 'root', 'plan', 'api', 'review', 'db', 'impl', 'jwt', 'limits', 'tokens');
    expect(await under('review')).toBe(grown.idOf('root'));
  });
});

describe('a finger on the tree', () => {
  it('[UIT15] [UIT16] drags a row when it is held, scrolls when it moves at once, and opens the menu when it lets go', async () => {
    const many = Array.from({ length: 40 }, (_, at) => ({ name: `more-${at}` }));
    const grown = await growTree(api, {
      name: 'root',
      children: [{ name: 'plan', children: [{ name: 'db' }] }, { name: 'review' }, ...many],
    });
    const page = await browser.visitor({ width: 390, touch: true });
    await page.addInitScript(() => {
      Reflect.set(globalThis, 'buzzed', 0);
      navigator.vibrate = () => {
        Reflect.set(globalThis, 'buzzed', Number(Reflect.get(globalThis, 'buzzed')) + 1);
        return true;
      };
    });
    await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await page.goto(`${instance.url}/session/${grown.session.id}?node=${grown.idOf('root')}`);
    await page.getByTestId('agents-menu').tap();
    const drawer = page.getByTestId('tree-drawer');
    const row = (name: string): Locator => drawer.locator(`[data-node="${grown.idOf(name)}"]`);
    await row('db').waitFor();
    const devtools = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x, y }],
      });
    const middle = async (name: string): Promise<{ x: number; y: number }> => {
      const box = await row(name).boundingBox();
      if (!box) throw new Error('the row is not in sight');
      return { x: box.x + 120, y: box.y + box.height / 2 };
    };
    const dragged = drawer.locator('[data-node].dragged');
    const buzzed = () => page.evaluate(() => Reflect.get(globalThis, 'buzzed') as number);

    const [from, to] = [await middle('db'), await middle('review')];
    await touch('touchStart', from.x, from.y);
    await dragged.waitFor();
    expect(await buzzed()).toBe(1);
    // To the left, too: the drawer does not take it for a swipe.
    for (let step = 1; step <= 8; step += 1)
      await touch('touchMove', from.x - step * 10, from.y + ((to.y - from.y) * step) / 8);
    await drawer.locator(`[data-node="${grown.idOf('review')}"].into`).waitFor();
    await touch('touchEnd');
    await expect
      .poll(async () => {
        const { nodes } = await api.tree(grown.session.id);
        return nodes.find(({ id }) => id === grown.idOf('db'))?.parentId;
      })
      .toBe(grown.idOf('review'));
    expect(await drawer.isVisible()).toBe(true);

    const at = await middle('more-12');
    // At once: one that waits for an answer between them may have held it long enough.
    await Promise.all([
      touch('touchStart', at.x, at.y),
      ...Array.from({ length: 10 }, (_, step) => touch('touchMove', at.x, at.y - (step + 1) * 16)),
    ]);
    await touch('touchEnd');
    await expect
      .poll(() => drawer.getByRole('tree').evaluate(({ scrollTop }) => scrollTop))
      .toBeGreaterThan(100);
    expect(await buzzed()).toBe(1);
    expect(await dragged.count()).toBe(0);

    const held = await middle('more-18');
    await touch('touchStart', held.x, held.y);
    await dragged.waitFor();
    await touch('touchEnd');
    await page.getByRole('menu').waitFor();
    expect(await page.getByTestId('menu-facts').innerText()).toMatch(
      /more-18[^]*status[^]*tok · \$/,
    );
    expect(await dragged.count()).toBe(0);
    const { nodes } = await api.tree(grown.session.id);
    expect(nodes.find(({ id }) => id === grown.idOf('more-18'))?.parentId).toBe(grown.idOf('root'));
  });
});

describe('what the tree shows', () => {
  it('[UIT7] can be narrowed by words and by status, with what stands above', async () => {
    const { page, row } = await open();
    await page.locator('[data-waiting]', { hasText: 'limits' }).waitFor();
    await page.getByTestId('tree-find').click();
    await page.getByTestId('tree-search').fill('jw');
    await shows(page, 'root', 'impl', 'jwt');
    await page.getByTestId('tree-search').fill('');
    await page.locator('[data-filter="waiting"]').click();
    await shows(page, 'root', 'impl', 'limits', 'review');
    await page.locator('[data-filter="failed"]').click();
    await shows(page, 'root', 'review');
    await page.getByTestId('tree-search').fill('jwt');
    await page.getByTestId('tree-empty').waitFor();
    expect(await axe(page, 'nav')).toEqual([]);
    await page.getByTestId('tree-search').press('Escape');
    await shows(page, ...ALL);
    expect(await row('review').getAttribute('data-status')).toBe('error');
  });

  it('[UIT9] [UIT11] has facts at hand and a menu of what can be done', async () => {
    const { page, row, grown } = await open();
    await page.locator(`[data-node="${grown.idOf('jwt')}"][data-status="done"]`).waitFor();
    await row('impl').hover();
    const tip = page.getByTestId('tree-tip');
    await tip.waitFor();
    await expect.poll(() => tip.innerText()).toMatch(/1 of 3 done[\s\S]*tok · \$0\.00/);
    const about = (await row('impl').getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`[id="${about}"]`).innerText()).toContain('tok · $0.00');

    await row('jwt').click({ button: 'right' });
    await page.getByRole('menu').waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('Rename')]),
    );
    await page.keyboard.press('Escape');
    await focused(page, 'jwt');

    await row('db').hover();
    await row('db').locator('[data-more]').click();
    await page.locator('[data-action="rename"]').click();
    await page.getByTestId('rename').fill('schema');
    await page.keyboard.press('Enter');
    await focused(page, 'schema');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menu').waitFor();
    await page.locator('[data-action="down"]').click();
    await expect
      .poll(() => names(page))
      .toEqual(['root', 'plan', 'api', 'schema', 'impl', 'jwt', 'limits', 'tokens', 'review']);
    await row('jwt').click({ button: 'right' });
    await page.getByRole('menu').waitFor();
    expect(await axe(page, '[role="menu"]')).toEqual([]);
    expect(await axe(page, '[role="tree"]')).toEqual([]);
  });

  it('[UIT14] has what the session used of its budget, which can be set there', async () => {
    const { page } = await open({ name: 'root' });
    const line = page.getByTestId('session-budget');
    expect(await line.innerText()).toMatch(/used\s+\$0\.00/);
    await line.click();
    await page.getByRole('dialog').locator('[name="usd"]').fill('10');
    await page.getByTestId('set-session-budget').click();
    await page.getByText('$0.00 of $10').waitFor();
  });
});

describe('a tree of hundreds of agents', () => {
  it('[UIT2] has only rows in sight in the page, reaches all, and changes one row alone', async () => {
    const leaves = (branch: number): Planted[] =>
      Array.from({ length: 49 }, (_, leaf) => ({ name: `leaf-${branch}-${leaf}` }));
    const branches = Array.from({ length: 5 }, (_, branch) => ({
      name: `branch-${branch}`,
      children: leaves(branch),
    }));
    const { page, row, grown } = await open({ name: 'root', children: branches });
    const rows = page.locator('[data-node]');
    const canvas = page.locator('[role="tree"] > div');
    await expect.poll(async () => (await canvas.boundingBox())?.height).toBe(251 * 28);
    expect(await rows.count()).toBeLessThan(70);

    await row('root').focus();
    await page.keyboard.press('End');
    await focused(page, 'leaf-4-48');
    expect(await row('leaf-4-48').getAttribute('aria-posinset')).toBe('49');
    expect(await row('leaf-4-48').getAttribute('aria-setsize')).toBe('49');
    expect(await row('leaf-4-48').getAttribute('aria-level')).toBe('3');
    expect(await rows.count()).toBeLessThan(70);
    // The same letter goes on to the next name, however long it takes between them.
    await page.keyboard.type('bbb');
    await focused(page, 'branch-2');
    expect(await row('branch-2').isVisible()).toBe(true);
    // The rows in sight there are in the page, and nothing moves any more.
    await row('leaf-2-1').waitFor();

    await page.evaluate(() => {
      const changed = new Set<string>();
      Reflect.set(globalThis, 'changedRows', changed);
      const note = (records: MutationRecord[]): void => {
        for (const { target } of records) {
          const element = target instanceof Element ? target : target.parentElement;
          changed.add(element?.closest('[data-node]')?.getAttribute('data-node') ?? 'outside');
        }
      };
      const tree = document.querySelector('[role="tree"]');
      const all = { subtree: true, childList: true, attributes: true, characterData: true };
      if (tree) new MutationObserver(note).observe(tree, all);
    });
    await api.message(grown.idOf('leaf-2-1'), 'go');
    await page.locator(`[data-node="${grown.idOf('leaf-2-1')}"][data-status="running"]`).waitFor();
    const changed = await page.evaluate(() => [...Reflect.get(globalThis, 'changedRows')]);
    expect(changed).toEqual([grown.idOf('leaf-2-1')]);
  }, 400_000);
});

describe('the palette', () => {
  it('[UIT12] [UIT13] leads to any agent of any session and does what can be done', async () => {
    const far = await growTree(api, { name: 'far-away', children: [{ name: 'needle' }] }, 'other');
    const { page, grown } = await open();
    const ask = async (typed: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByTestId('palette-input').fill(typed);
    };
    await page.getByTestId('message-input').focus();
    await ask('rename');
    await page.locator('[data-item="do-rename"][data-selected]').waitFor();
    await page.keyboard.press('Enter');
    await page.getByTestId('rename').fill('top');
    await page.keyboard.press('Enter');
    await page.locator('[data-node]', { hasText: 'top' }).waitFor();

    const dark = () => page.evaluate(() => document.documentElement.classList.contains('dark'));
    const before = await dark();
    await ask('theme');
    await page.locator('[data-item="theme"][data-selected]').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(dark).toBe(!before);

    await ask('ndl');
    await page.locator(`[data-item="${far.idOf('needle')}"][data-selected]`).waitFor();
    await page.getByRole('option', { name: /^needle (idle|thinking|running|done) / }).waitFor();
    expect(await axe(page, '[data-testid="palette"]')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/session/${far.session.id}?node=${far.idOf('needle')}`);
    await page.locator('[data-node][aria-selected="true"]', { hasText: 'needle' }).waitFor();

    await ask('zzzz');
    await page.getByText('Nothing fits').waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('palette').waitFor({ state: 'detached' });
    // Whoever is faster than the list of agents goes where they wanted to.
    const loaded = Promise.withResolvers<void>();
    await page.route('**/api/node', async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await ask(`jwt`);
    await page.getByText('Loading the agents').waitFor();
    await page.keyboard.press('Enter');
    loaded.resolve();
    await page.waitForURL(`**/session/${grown.session.id}?node=${grown.idOf('jwt')}`);
    await ask('new session');
    await page.locator('[data-item="new-session"][data-selected]').waitFor();
    await page.keyboard.press('Enter');
    await page.getByTestId('create-session').waitFor();
  });
});

it('none of the pages complained, not of their policy either', () => {
  expect(complaints).toEqual([]);
});
