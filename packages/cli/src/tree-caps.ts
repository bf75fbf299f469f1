import { EngineError } from '@filepath/worker/engine';

const NAMES = [
  'FILEPATH_MAX_DEPTH',
  'FILEPATH_MAX_CHILDREN',
  'FILEPATH_MAX_AGENTS',
  'FILEPATH_MAX_WORKING',
] as const;

/** The caps of trees that the environment sets, as the worker gets them. */
export function treeCaps(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const set = NAMES.map((name) => [name, env[name]?.trim() ?? ''] as const).filter(
    ([, value]) => value !== '',
  );
  for (const [name, value] of set) {
    if (/^[1-9]\d{0,4}$/.test(value)) continue;
    throw new EngineError(
      `${name} is ${JSON.stringify(value.slice(0, 200))}; give a whole number from 1 to 99999.`,
    );
  }
  return Object.fromEntries(set);
}
