/** A limit as it is typed: null for none, undefined for what is no number. */
export function readLimit(text: string, whole: boolean): number | null | undefined {
  const plain = text.trim().replaceAll(/[\s_,$]/g, '');
  if (text.trim() === '') return null;
  const value = Number(plain);
  if (plain === '' || !Number.isFinite(value) || value < 0) return undefined;
  return whole && !Number.isInteger(value) ? undefined : value;
}

/** A limit as it is shown in its field. */
export function showLimit(limit: number | null): string {
  return limit === null ? '' : String(limit);
}
