/** Headers of one connection, not of the message on it. */
const HOP =
  'connection|keep-alive|proxy-.*|te|trailers?|transfer-encoding|upgrade|expect|host|content-length';

/** Of a request: keys, what is between the runner and us, and what could steer a gateway of the owner's. */
const KEPT_FROM_PROVIDERS = only(
  `${HOP}|authorization|x-api-key|api-key|x-goog-api-key|cookie|origin|referer|forwarded|accept-encoding|x-filepath-.*|x-forwarded-.*|x-real-ip|cf-.*|sec-.*`,
);

/** Of an answer: what would act on a browser or on our own connection. The body comes decoded. */
const KEPT_FROM_AGENTS = only(
  `${HOP}|set-cookie2?|content-encoding|alt-svc|strict-transport-security|clear-site-data|report-to|nel|location|access-control-.*|content-security-policy.*|x-filepath-.*`,
);

const SHORTEST_SECRET = 8;

/** Headers of the request as the provider gets them. */
export function toProvider(headers: Headers, own: Readonly<Record<string, string>>): Headers {
  const out = without(headers, KEPT_FROM_PROVIDERS);
  for (const [name, value] of Object.entries(own)) {
    // The version is the client's to choose; the provider's settings have one for clients that name none.
    if (name.toLowerCase() !== 'anthropic-version' || !out.has(name)) out.set(name, value);
  }
  // What is decoded and encoded again on the way arrives later.
  out.set('accept-encoding', 'identity');
  return out;
}

/** Headers of the answer as the agent gets them; one that has a secret in it is left out. */
export function toAgent(headers: Headers, secrets: readonly string[]): Headers {
  const isSecret = (value: string): boolean => secrets.some((secret) => value.includes(secret));
  return without(headers, KEPT_FROM_AGENTS, isSecret);
}

/** The values that a provider's headers keep secret. */
export function secretsIn(own: Readonly<Record<string, string>>): string[] {
  return Object.values(own)
    .map((value) => value.replace(/^bearer +/i, ''))
    .filter((value) => value.length >= SHORTEST_SECRET);
}

/** What is left is copied: most of what there is goes. */
function without(
  headers: Headers,
  dropped: RegExp,
  isSecret: (value: string) => boolean = () => false,
): Headers {
  const out = new Headers();
  for (const [name, value] of headers) {
    if (!dropped.test(name) && !isSecret(value)) out.append(name, value);
  }
  for (const name of headers.get('connection')?.split(',') ?? []) {
    if (/^[\w-]+$/.test(name.trim())) out.delete(name.trim());
  }
  return out;
}

function only(names: string): RegExp {
  return new RegExp(`^(?:${names})$`);
}
