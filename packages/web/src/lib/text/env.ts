export type Env = { ok: true; vars: Record<string, string> } | { ok: false; reason: string };

/** `KEY=VALUE` lines; blank lines and `#` comments do not count. */
export function parseEnv(text: string): Env {
  const vars = new Map<string, string>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const match = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line);
    if (!match) return { ok: false, reason: `Line ${index + 1} is not KEY=VALUE.` };
    const [, name = '', value = ''] = match;
    if (name.startsWith('FILEPATH_')) {
      return {
        ok: false,
        reason: `Line ${index + 1}: names beginning with FILEPATH_ are set by filepath.`,
      };
    }
    vars.set(name, unquoted(value));
  }
  return { ok: true, vars: Object.fromEntries(vars) };
}

function unquoted(value: string): string {
  const match = /^(["'])(.*)\1$/.exec(value);
  return match?.[2] ?? value;
}
