const COMMON = Object.entries({
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
});

/** Answers of the API are data: opened as a page they may load and run nothing. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** The page's policy; `scripts` are the hashes of its own inline scripts. */
export function pagePolicy(scripts: readonly string[]): string {
  return [
    "default-src 'self'",
    ["script-src 'self'", ...scripts.map((hash) => `'sha256-${hash}'`)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The response with the security headers; what it says itself about policy or caching stays. */
export function withHeaders(response: Response): Response {
  const out = isOpen(response) ? response : new Response(response.body, response);
  for (const [name, value] of COMMON) out.headers.set(name, value);
  if (!out.headers.has('content-security-policy'))
    out.headers.set('content-security-policy', API_POLICY);
  if (!out.headers.has('cache-control')) out.headers.set('cache-control', 'no-store');
  return out;
}

/** An answer to a program that shows nothing: what a browser would be told besides is left out. */
export function withAgentHeaders(response: Response): Response {
  if (!isOpen(response)) return withHeaders(response);
  response.headers.set('x-content-type-options', 'nosniff');
  response.headers.set('content-security-policy', API_POLICY);
  return response;
}

/** Headers of what was fetched cannot be changed; those of an answer that was made here can. */
function isOpen(response: Response): boolean {
  try {
    response.headers.delete('x-filepath-none');
    return true;
  } catch {
    return false;
  }
}
