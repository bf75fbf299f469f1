import { z } from 'zod';
import { PasskeyId, SessionId, TokenId } from '../ids.ts';

const Name = z.string().trim().min(1).max(64);

/** A browser that is signed in. */
export const Device = z.object({
  id: z.string(),
  /** As the browser called itself when it signed in. */
  userAgent: z.string().nullable(),
  createdAt: z.string(),
  /** To the minute. */
  seenAt: z.string(),
  expiresAt: z.string(),
  /** The one that asks. */
  current: z.boolean(),
});
export type Device = z.infer<typeof Device>;

/** Where a sign-in link leads: to all sessions, or to one. */
const Destination = z.union([
  z.literal('/'),
  z.string().refine((path) => {
    const [, id] = /^\/session\/([^/]+)$/.exec(path) ?? [];
    return SessionId.safeParse(id).success;
  }, 'expected / or /session/ses_…'),
]);

export const DeviceLinkCreate = z.strictObject({
  /** One of `GET /api/addresses`. */
  origin: z.string().max(512),
  to: Destination.optional(),
});
export type DeviceLinkCreate = z.infer<typeof DeviceLinkCreate>;

/** Signs a device in, once. */
export const DeviceLink = z.object({ url: z.url(), expiresAt: z.string() });
export type DeviceLink = z.infer<typeof DeviceLink>;

/** An address under which this instance answers. */
export const Address = z.object({
  origin: z.string(),
  /** Other machines do not reach it. */
  loopback: z.boolean(),
});
export type Address = z.infer<typeof Address>;

/** How long a token lives if nothing is said, and how long at most. */
export const TOKEN_DAYS = { usual: 90, most: 3650 } as const;

export const TokenCreate = z.strictObject({
  name: Name,
  /** 90 unless given; null: until it is revoked. */
  expiresInDays: z.int().min(1).max(TOKEN_DAYS.most).nullable().optional(),
});
export type TokenCreate = z.infer<typeof TokenCreate>;

export const ApiToken = z.object({
  id: TokenId,
  name: z.string(),
  /** The last four characters. */
  hint: z.string(),
  createdAt: z.string(),
  /** Null: never. */
  expiresAt: z.string().nullable(),
  /** To the minute. Null: never. */
  usedAt: z.string().nullable(),
});
export type ApiToken = z.infer<typeof ApiToken>;

/** `secret` is told here and never again. */
export const TokenCreated = z.object({ token: ApiToken, secret: z.string() });
export type TokenCreated = z.infer<typeof TokenCreated>;

export const Passkey = z.object({
  id: PasskeyId,
  name: z.string(),
  /** The host name it works on. */
  host: z.string(),
  /** It is kept by a service that copies it to other devices. */
  synced: z.boolean(),
  createdAt: z.string(),
  /** To the minute. Null: never. */
  usedAt: z.string().nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

/** What an authenticator says, in the form that WebAuthn gives it. Its parts are read by whoever verifies it. */
const base64url = z
  .string()
  .max(16_384)
  .regex(/^[\w-]*$/, 'expected base64url');
const Credential = {
  id: base64url.min(1),
  rawId: base64url.min(1),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  clientExtensionResults: z.record(z.string().max(64), z.unknown()),
};

export const PasskeyCreate = z.strictObject({
  name: Name,
  credential: z.object({
    ...Credential,
    response: z.object({
      clientDataJSON: base64url,
      attestationObject: base64url,
      transports: z.array(z.string().max(32)).max(16).optional(),
    }),
  }),
});
export type PasskeyCreate = z.infer<typeof PasskeyCreate>;

export const PasskeySignIn = z.strictObject({
  credential: z.object({
    ...Credential,
    response: z.object({
      clientDataJSON: base64url,
      authenticatorData: base64url,
      signature: base64url,
      userHandle: base64url.nullish(),
    }),
  }),
});
export type PasskeySignIn = z.infer<typeof PasskeySignIn>;
