import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { NetworkConfig } from '@filepath/protocol';
import { Gateways, type EgressOptions } from '../src/egress/gateways.ts';
import { later, shellOrder, tempDir } from './setup.ts';

/** A web server of this machine. */
export async function webServer(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Every name is this machine, which is what tests have of the internet. */
export const here = async (): Promise<string[]> => ['127.0.0.1'];

export type Wishes = EgressOptions & {
  network?: NetworkConfig;
  /** Hosts with ports that the operator permits. */
  permitted?: string[];
  worker?: string;
};

export type TestGateway = {
  socket: string;
  denied: string[];
  close(): Promise<void>;
};

/** A gateway as an agent has it, without an agent. */
export async function gatewayOf(wishes: Wishes): Promise<TestGateway> {
  const { network, permitted = [], worker = 'http://127.0.0.1:1', ...options } = wishes;
  const dir = tempDir();
  const env = { FILEPATH_EGRESS_PRIVATE: permitted.join(',') };
  const gateways = new Gateways({ url: worker, token: 'runner-token' }, env, {
    resolve: here,
    ...options,
  });
  const denied: string[] = [];
  const order = shellOrder('', { config: network === undefined ? {} : { network } });
  const gateway = gateways.make(order, null, { slug: order.slug, dir, uid: null }, (target) =>
    denied.push(`${target.host}:${target.port}`),
  );
  await gateway.open();
  later(() => gateway.close());
  return { socket: join(dir, 'gateway', 'gw.sock'), denied, close: () => gateway.close() };
}

/** A connection to it. */
export async function dial(gateway: TestGateway): Promise<Socket> {
  const socket = connect({ path: gateway.socket, allowHalfOpen: true });
  later(() => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** Everything that comes back for these bytes until the other side ends. */
export async function ask(gateway: TestGateway, bytes: string): Promise<string> {
  const socket = await dial(gateway);
  socket.write(bytes);
  return heard(socket);
}

export async function heard(socket: Socket): Promise<string> {
  let text = '';
  try {
    for await (const chunk of socket) text += String(chunk);
  } catch {
    text += '(cut)';
  }
  return text;
}

/** A request for a whole URL, as a client writes it to a proxy. */
export const get = (url: string, ...headers: string[]): string =>
  [`GET ${url} HTTP/1.1`, 'Host: elsewhere', 'Connection: close', ...headers, '', ''].join('\r\n');
