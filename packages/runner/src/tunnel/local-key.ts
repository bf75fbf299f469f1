import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createExclusive } from '../files.ts';

/** The key of this machine: made once, kept in a file that only its user may read. */
export class LocalKey {
  readonly #key: KeyObject;
  /** 32 raw bytes in base64. */
  readonly publicKey: string;

  private constructor(key: KeyObject) {
    this.#key = key;
    const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
    this.publicKey = Buffer.from(x, 'base64url').toString('base64');
  }

  /** Of several that make it at once, the first stays. */
  static at(path: string): LocalKey {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const { privateKey } = generateKeyPairSync('ed25519');
    createExclusive(path, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    const key = createPrivateKey(readFileSync(path));
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${path} is no key of Ed25519`);
    return new LocalKey(key);
  }

  sign(claim: string): string {
    return sign(null, Buffer.from(claim), this.#key).toString('base64');
  }
}
