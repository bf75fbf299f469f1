/** Tokens, by the name of a model: the first that fits. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/claude-(sonnet|opus)-(4[.-][6-9]|[5-9])/i, 1_000_000],
  [/gpt-(4\.1|5\.[4-9]|[6-9])|gemini/i, 1_000_000],
  [/gpt-5|codex/i, 400_000],
  [/claude|\bo[1-9]\b/i, 200_000],
];

/** Of a model that is not known. */
const UNKNOWN = 128_000;

export function contextWindowOf(model: string, configured: string | undefined): number {
  const given = Number(configured ?? Number.NaN);
  if (Number.isInteger(given) && given > 0) return given;
  return WINDOWS.find(([name]) => name.test(model))?.[1] ?? UNKNOWN;
}
