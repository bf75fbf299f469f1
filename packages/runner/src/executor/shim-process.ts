import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import type { AgentGateway } from '../egress/gateway.ts';
import type { NetworkPlace } from '../egress/namespace.ts';
import type { RunDir } from '../home.ts';
import { reasonOf } from '../log.ts';
import { Refusal } from './executor.ts';
import { coveredStdio } from './inherited.ts';
import { letGoOf, type Network } from './networks.ts';
import { shimOf, shimRuns } from './process-files.ts';

/**
 * Descriptors on which a shim gets, and keeps, the agent's network namespace and, where the user is an ordinary one, the
 * user namespace that owns it. By them a later runner enters it again.
 */
export const SHIM_FD = { net: 3, user: 6 } as const;

const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

export type ShimProcess = {
  command: readonly string[];
  env?: Record<string, string>;
  gateway: AgentGateway;
  /** The agent's. Null: whoever starts the agent makes one. */
  network: Network | null;
  /** It has ended. */
  gone: () => void;
};

/** Starts the parent of an agent, which outlives the runner. The agent's way out listens before that. Throws a Refusal. */
export async function startShim({
  command,
  env,
  gateway,
  network,
  gone,
}: ShimProcess): Promise<void> {
  try {
    const stdio = coveredStdio();
    if (network !== null) {
      await gateway.adopt(network.listener, network.id);
      for (let fd = stdio.length; fd <= SHIM_FD.user; fd++) stdio[fd] = 'ignore';
      stdio[SHIM_FD.net] = network.net;
      if (network.user !== null) stdio[SHIM_FD.user] = network.user;
    }
    const [file = '', ...args] = command;
    const options = { cwd: '/', detached: true, stdio, env: { PATH: SYSTEM_PATH, ...env } };
    const child = spawn(file, args, options);
    child.on('exit', gone);
    child.unref();
    await once(child, 'spawn');
  } catch (error) {
    throw new Refusal(`cannot start the agent: ${reasonOf(error)}`);
  } finally {
    if (network !== null) letGoOf(network);
  }
}

/** The network that a shim holds: the owner of the namespace is not the sandbox's own. */
export function shimNetwork(run: RunDir): NetworkPlace | null {
  const shim = shimOf(run);
  if (shim === null || !shimRuns(run)) return null;
  const [net, user] = [SHIM_FD.net, SHIM_FD.user].map((fd) => `/proc/${shim.pid}/fd/${fd}`);
  if (net === undefined || !isNetwork(net)) return null;
  return { net, user: process.getuid?.() === 0 ? null : (user ?? null) };
}

/** A shim without a network has something else, or nothing, on that descriptor. */
function isNetwork(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('net:[');
  } catch {
    return false;
  }
}
