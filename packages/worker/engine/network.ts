import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

/**
 * The network as workerd reaches it by itself. What the worker fetches otherwise passes a worker of Miniflare's first,
 * which costs each request as much as a proxy.
 */
export function network() {
  return service(['public', 'private'], []);
}

/**
 * The web as tools of chats reach it. workerd resolves a name once and looks at each address that it dials: a name
 * that leads elsewhere the next time, and an address in another spelling, come to nothing.
 */
export function web() {
  return service(['public'], [...RESERVED, ...PRIVATE, ...ownAddresses()]);
}

/** The same with private networks, for hosts that the operator permits by name and port. */
export function webInside() {
  return service(['public', 'private'], RESERVED);
}

/** Nobody's to dial: metadata of machines, and addresses that carry others. */
const RESERVED = [
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** Of machines and networks of somebody's own. */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '::1/128',
  'fc00::/7',
];

/** This machine may have public addresses too. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.map(({ address, family }) =>
    family === 'IPv6' ? `${address.split('%')[0]}/128` : `${address}/32`,
  );
}

function service(allow: string[], deny: string[]) {
  const trustedCertificates = extraCertificates(process.env['NODE_EXTRA_CA_CERTS']);
  return {
    network: { allow, deny, tlsOptions: { trustBrowserCas: true, trustedCertificates } },
  };
}

/** Those that Node would trust as well. A file that cannot be read is ignored, as Node does. */
function extraCertificates(path: string | undefined): string[] {
  if (path === undefined || path === '') return [];
  try {
    const text = readFileSync(path, 'utf8');
    return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  } catch {
    return [];
  }
}
