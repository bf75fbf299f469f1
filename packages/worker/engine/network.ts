import { readFileSync } from 'node:fs';

/**
 * The network as workerd reaches it by itself. What the worker fetches otherwise passes a worker of Miniflare's first,
 * which costs each request as much as a proxy.
 */
export function network() {
  const trustedCertificates = extraCertificates(process.env['NODE_EXTRA_CA_CERTS']);
  return {
    network: {
      allow: ['public', 'private'],
      deny: [],
      tlsOptions: { trustBrowserCas: true, trustedCertificates },
    },
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
