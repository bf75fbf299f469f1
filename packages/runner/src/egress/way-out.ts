/** Where an agent finds its way out: an address of its own loopback, and a socket in a folder that is mounted for it. */
export const WAY_OUT = {
  host: '127.0.0.1',
  port: 4281,
  /** The folder in the sandbox. */
  mount: '/run/filepath',
  socket: 'gw.sock',
} as const;

const URL_OF_PROXY = `http://${WAY_OUT.host}:${WAY_OUT.port}`;
const NOT_BY_PROXY = '127.0.0.1,localhost,::1';

export const GATEWAY_URL = `${URL_OF_PROXY}/gateway`;

/** Programs that know no NO_PROXY ask the proxy for the way out itself. */
export function isWayOut({ host, port }: { host: string; port: number }): boolean {
  return port === WAY_OUT.port && NOT_BY_PROXY.split(',').includes(host);
}

/** Variables by which programs find a proxy. Whoever unsets them reaches nothing: there is no other way. */
export const PROXY_VARIABLES: readonly (readonly [string, string])[] = [
  ['HTTP_PROXY', URL_OF_PROXY],
  ['HTTPS_PROXY', URL_OF_PROXY],
  ['http_proxy', URL_OF_PROXY],
  ['https_proxy', URL_OF_PROXY],
  ['NO_PROXY', NOT_BY_PROXY],
  ['no_proxy', NOT_BY_PROXY],
  ['NODE_USE_ENV_PROXY', '1'],
];
