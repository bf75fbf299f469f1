import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * `public`: anybody may dial it. `private`: of this machine or its network, which the operator may permit by name.
 * `forbidden`: nobody's to dial.
 */
export type Standing = 'public' | 'private' | 'forbidden';

type Subnet = readonly [string, number];

const PRIVATE_V4: readonly Subnet[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // For documentation and benchmarks: nobody's on the internet, and in use inside of networks.
  ['192.0.2.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
];

const FORBIDDEN_V4: readonly Subnet[] = [
  ['0.0.0.0', 8],
  // Metadata of clouds that is outside of the link-local range.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

const PRIVATE_V6: readonly Subnet[] = [
  ['::1', 128],
  ['fc00::', 7],
];

/** Of the one range that is given out to the public: what carries another address, or is nobody's. */
const GLOBAL_V6: readonly Subnet[] = [['2000::', 3]];
const FORBIDDEN_V6: readonly Subnet[] = [
  // Metadata of clouds at addresses that look private.
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  // Teredo, ORCHID, benchmarks and other protocol assignments.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4.
  ['2002::', 16],
  ['3fff::', 20],
];

const list = (family: 'ipv4' | 'ipv6', subnets: readonly Subnet[]): BlockList => {
  const made = new BlockList();
  for (const [address, prefix] of subnets) made.addSubnet(address, prefix, family);
  return made;
};

// One list for each family: Node also compares IPv4 addresses with the IPv6 form of others.
const V4 = { private: list('ipv4', PRIVATE_V4), forbidden: list('ipv4', FORBIDDEN_V4) };
const V6 = {
  private: list('ipv6', PRIVATE_V6),
  forbidden: list('ipv6', FORBIDDEN_V6),
  global: list('ipv6', GLOBAL_V6),
};

/** Addresses of this machine's interfaces at this moment. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((at) => at.address));
}

/** What may be done with an address, spelled as a resolver gives it. Whatever is not known is forbidden. */
export function standingOf(address: string, own: readonly string[] = ownAddresses()): Standing {
  const family = isIP(address);
  if (family === 4) {
    if (V4.forbidden.check(address, 'ipv4')) return 'forbidden';
    return V4.private.check(address, 'ipv4') || isOneOf(address, own, 4) ? 'private' : 'public';
  }
  // A zone names an interface of this machine.
  if (family !== 6 || address.includes('%')) return 'forbidden';
  if (V6.forbidden.check(address, 'ipv6')) return 'forbidden';
  if (V6.private.check(address, 'ipv6')) return 'private';
  if (!V6.global.check(address, 'ipv6')) return 'forbidden';
  return isOneOf(address, own, 6) ? 'private' : 'public';
}

function isOneOf(address: string, own: readonly string[], family: 4 | 6): boolean {
  const name = family === 4 ? 'ipv4' : 'ipv6';
  const mine = new BlockList();
  for (const text of own) if (isIP(text) === family) mine.addAddress(plain(text), name);
  return mine.check(address, name);
}

const plain = (address: string): string => address.split('%')[0] ?? address;
