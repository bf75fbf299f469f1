/**
 * Text that is encrypted at rest: AES-256-GCM under a key made from the instance's secret, bound to the words it is
 * kept with. In another row, or with other words, it does not open.
 */
const VERSION = 'v1';
const INFO = 'filepath provider keys v1';

export async function seal(secret: string, text: string, boundTo: readonly string[]) {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt(
    algorithm(iv, boundTo),
    await keyOf(secret),
    new TextEncoder().encode(text),
  );
  return [VERSION, base64(iv), base64(new Uint8Array(sealed))].join('.');
}

/** Null: it was sealed under another secret, for another row, or has been changed. */
export async function unseal(
  secret: string,
  sealed: string,
  boundTo: readonly string[],
): Promise<string | null> {
  const [version, iv, data, ...more] = sealed.split('.');
  if (version !== VERSION || iv === undefined || data === undefined || more.length > 0) return null;
  try {
    const opened = await crypto.subtle.decrypt(
      algorithm(Buffer.from(iv, 'base64url'), boundTo),
      await keyOf(secret),
      Buffer.from(data, 'base64url'),
    );
    return new TextDecoder().decode(opened);
  } catch {
    return null;
  }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, boundTo: readonly string[]) {
  const additionalData = new TextEncoder().encode(JSON.stringify([VERSION, ...boundTo]));
  return { name: 'AES-GCM', iv, additionalData };
}

async function keyOf(secret: string): Promise<CryptoKey> {
  if (secret === '') throw new Error('FILEPATH_SECRET is not set: nothing can be encrypted.');
  const encode = (text: string) => new TextEncoder().encode(text);
  const material = await crypto.subtle.importKey('raw', encode(secret), 'HKDF', false, [
    'deriveKey',
  ]);
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: encode('filepath'), info: encode(INFO) },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
