/** Web crypto, which browsers, workers and Node share. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Of a value as JSON: what a receipt's hashes are taken over. */
export function hashJson(value: unknown): Promise<string> {
  return sha256Hex(JSON.stringify(value ?? null));
}

/** Ed25519; the key is its 32 raw bytes, both are base64. */
export async function isSignedBy(
  publicKey: string,
  signature: string,
  claim: string,
): Promise<boolean> {
  try {
    const algorithm = { name: 'Ed25519' };
    const key = await crypto.subtle.importKey('raw', bytesOf(publicKey), algorithm, false, [
      'verify',
    ]);
    const said = new TextEncoder().encode(claim);
    return await crypto.subtle.verify(algorithm, key, bytesOf(signature), said);
  } catch {
    return false;
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
