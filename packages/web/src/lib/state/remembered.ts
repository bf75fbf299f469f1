/** Small choices that this browser keeps. Storage may be forbidden or full; then nothing is remembered. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`filepath:${key}`);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`filepath:${key}`, value);
  } catch {
    return;
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(`filepath:${key}`);
  } catch {
    return;
  }
}
