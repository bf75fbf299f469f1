import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const css = readFileSync(new URL('../src/styles/tokens.css', import.meta.url), 'utf8');

/** The colors of a block, by name. */
function colors(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf('\n}', start));
  const found = block.matchAll(/--(?<name>[\w-]+): (?<color>#[\da-f]{6});/g);
  return new Map([...found].map(({ groups }) => [groups?.['name'] ?? '', groups?.['color'] ?? '']));
}

const light = colors(':root');
const themes = { light, dark: new Map([...light, ...colors('.dark')]) };

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

const GROUNDS = ['bg', 'bg2', 'bg3', 'bubble'];
const PAIRS = [
  ...['t1', 't2', 't3', 'muted', 'accent-ink', 'warn-ink', 'add-ink', 'del-ink'].flatMap((text) =>
    GROUNDS.map((ground) => [text, ground] as const),
  ),
  ['on-go', 'go'] as const,
  ['add-ink', 'add'] as const,
  ['del-ink', 'del'] as const,
];

it.each(Object.entries(themes))(
  '[UIH2] every color of text has 4.5:1 on every ground of the %s theme',
  (_, theme) => {
    const poor = PAIRS.map(([text, ground]) => {
      const [ink, behind] = [theme.get(text), theme.get(ground)];
      if (ink === undefined || behind === undefined) return `${text} on ${ground} is not there`;
      const found = contrast(ink, behind);
      return found >= 4.5 ? null : `${text} on ${ground}: ${found.toFixed(2)}`;
    });
    expect(poor.filter((one) => one !== null)).toEqual([]);
  },
);

it.each(Object.entries(themes))(
  '[UIH2] what shows the focus has 3:1 on every ground of the %s theme',
  (_, theme) => {
    const poor = [...GROUNDS, 'add', 'del']
      .map(
        (ground) => [ground, contrast(theme.get('focus') ?? '', theme.get(ground) ?? '')] as const,
      )
      .filter(([, found]) => !(found >= 3));
    expect(poor).toEqual([]);
  },
);

it('[UIH2] the values of the light theme, of the accent and of the five statuses are those that were given', () => {
  const given = {
    bg: '#ffffff',
    bg2: '#f9f9fb',
    bg3: '#f4f4f6',
    b1: '#e8e8ec',
    b2: '#dddde1',
    t1: '#1a1a1e',
    t2: '#3f3f46',
    t3: '#52525b',
    t4: '#71717a',
    t5: '#a1a1aa',
    t6: '#d4d4d8',
    accent: '#818cf8',
    idle: '#52525b',
    thinking: '#f59e0b',
    running: '#818cf8',
    done: '#22c55e',
    error: '#ef4444',
  };
  expect(Object.fromEntries(themes.light)).toMatchObject(given);
  expect(Object.fromEntries(themes.dark)).toMatchObject({
    bg: '#09090b',
    bg2: '#0a0a0d',
    t1: '#e4e4e7',
    accent: '#818cf8',
  });
});

it.each(Object.entries(themes))(
  '[UIH2] the edge of a field has 3:1 on every ground of the %s theme that fields stand on',
  (_, theme) => {
    const poor = ['bg', 'bg2', 'bg3']
      .map(
        (ground) => [ground, contrast(theme.get('field') ?? '', theme.get(ground) ?? '')] as const,
      )
      .filter(([, found]) => !(found >= 3));
    expect(poor).toEqual([]);
  },
);
