import {
  type AllowedHost,
  DEFAULT_NETWORK,
  type NetworkConfig,
  parseAllowedHost,
} from '@filepath/protocol';

const WIDTH = { none: 0, allowlist: 1, open: 2 } as const;
/** The ports of an entry that names none. */
const USUAL_PORTS: readonly number[] = [80, 443];

/** Whether everything that one policy lets through, the other does too. */
export function isWithin(
  inner: NetworkConfig = DEFAULT_NETWORK,
  outer: NetworkConfig = DEFAULT_NETWORK,
): boolean {
  if (WIDTH[inner.policy] > WIDTH[outer.policy]) return false;
  if (inner.policy === 'none') return true;
  const allowed = entriesOf(outer);
  return entriesOf(inner).every(
    (entry) =>
      (outer.policy === 'open' && hasUsualPort(entry)) ||
      allowed.some((other) => covers(other, entry)),
  );
}

function covers(outer: AllowedHost, inner: AllowedHost): boolean {
  if (outer.port !== inner.port && !(outer.port === null && hasUsualPort(inner))) return false;
  const below = outer.below && inner.host.endsWith(`.${outer.host}`);
  return below || (outer.host === inner.host && outer.below === inner.below);
}

const hasUsualPort = ({ port }: AllowedHost): boolean =>
  port === null || USUAL_PORTS.includes(port);

const entriesOf = ({ allow = [] }: NetworkConfig): AllowedHost[] =>
  allow.map(parseAllowedHost).filter((entry) => entry !== null);
