import { createHash } from 'node:crypto';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** User present, user verified. */
const SEEN = 0x05;
const WITH_KEY = 0x40;

type Options = { readonly challenge: string; readonly origin: string; readonly flags?: number };

/** A passkey as an authenticator keeps it: makes and signs what a browser would hand on. */
export class Authenticator {
  readonly id = base64url(crypto.getRandomValues(new Uint8Array(16)));
  readonly #host: string;
  readonly #keys: CryptoKeyPair;
  #counter = 0;

  private constructor(host: string, keys: CryptoKeyPair) {
    this.#host = host;
    this.#keys = keys;
  }

  static async for(host: string): Promise<Authenticator> {
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    return new Authenticator(host, keys as CryptoKeyPair);
  }

  async create({ challenge, origin, flags = SEEN }: Options) {
    const raw = new Uint8Array(
      (await crypto.subtle.exportKey('raw', this.#keys.publicKey)) as ArrayBuffer,
    );
    const id = Buffer.from(this.id, 'base64url');
    const authData = Buffer.concat([
      this.#data(flags | WITH_KEY),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      // COSE: EC2, ES256, P-256, x, y.
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
      raw.subarray(1, 33),
      Buffer.from([0x22, 0x58, 0x20]),
      raw.subarray(33, 65),
    ]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from([0xa0]),
      text('authData'),
      Buffer.from([0x58, authData.length]),
      authData,
    ]);
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', challenge, origin),
      attestationObject: base64url(attestationObject),
      transports: ['internal'],
    });
  }

  async get({ challenge, origin, flags = SEEN }: Options) {
    this.#counter += 1;
    const authData = this.#data(flags);
    const clientDataJSON = clientData('webauthn.get', challenge, origin);
    const hash = sha256(Buffer.from(clientDataJSON, 'base64url'));
    const signed = Buffer.concat([authData, hash]);
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
    const signature = await crypto.subtle.sign(algorithm, this.#keys.privateKey, signed);
    return this.#credential({
      clientDataJSON,
      authenticatorData: base64url(authData),
      signature: base64url(der(new Uint8Array(signature))),
    });
  }

  #credential<R>(response: R) {
    const { id } = this;
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #data(flags: number): Buffer {
    const tail = Buffer.alloc(5);
    tail.writeUInt8(flags, 0);
    tail.writeUInt32BE(this.#counter, 1);
    return Buffer.concat([sha256(this.#host), tail]);
  }
}

const clientData = (type: string, challenge: string, origin: string): string =>
  base64url(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })));

const text = (words: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + words.length]), Buffer.from(words)]);

/** ASN.1 of a signature that web crypto gives as r and s. */
function der(signature: Uint8Array): Buffer {
  const integers = [signature.subarray(0, 32), signature.subarray(32)].map((bytes) => {
    const start = bytes.findIndex((byte) => byte !== 0);
    const body = Buffer.from(bytes.subarray(start === -1 ? 31 : start));
    const positive = (body[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), body]) : body;
    return Buffer.concat([Buffer.from([0x02, positive.length]), positive]);
  });
  const all = Buffer.concat(integers);
  return Buffer.concat([Buffer.from([0x30, all.length]), all]);
}
