/** Browsers that name others beside themselves stand before those. */
const BROWSERS = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Headless)?(Chrome|CriOS)\//],
  ['Safari', /\bVersion\/[\d.]+ .*Safari\//],
] as const;

const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

const PHONES: ReadonlySet<string> = new Set(['iPhone', 'iPad', 'Android']);

export type DeviceWords = { readonly name: string; readonly phone: boolean };

/** What a person calls the device: `Firefox on Linux`. A program's own words stay, if they are short. */
export function deviceWords(userAgent: string | null): DeviceWords {
  const text = userAgent ?? '';
  const find = (list: readonly (readonly [string, RegExp])[]) =>
    list.find(([, pattern]) => pattern.test(text))?.[0];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  const phone = system !== undefined && PHONES.has(system);
  if (browser && system) return { name: `${browser} on ${system}`, phone };
  const other = browser ?? system ?? (text.length > 40 ? `${text.slice(0, 40)}…` : text);
  return { name: other === '' ? 'A browser that gave no name' : other, phone };
}
