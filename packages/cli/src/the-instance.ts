import { createClient, type Client } from '@filepath/client';
import { FilepathError, ThreadId } from '@filepath/protocol';
import { findInstance, homeOf } from './instance-file.ts';
import type { Io } from './io.ts';
import { UsageError } from './usage.ts';

/** A client of the instance that runs. */
export function runningClient(io: Io): Client {
  const instance = findInstance(io.env);
  if (instance !== null) return createClient({ baseUrl: instance.url, token: instance.token });
  throw new FilepathError(
    'unavailable',
    `No filepath runs on ${homeOf(io.env)}. Start it with "npm start", then try again.`,
  );
}

/** The one agent that the arguments name. */
export function oneNode(positionals: readonly string[]): ThreadId {
  const node = ThreadId.safeParse(positionals[0]);
  if (node.success && positionals.length === 1) return node.data;
  throw new UsageError('Name one agent by its id, th_….');
}
