import { userInfo } from 'node:os';
import type { Limits } from '@filepath/protocol';
import { readText } from '../files.ts';
import type { Engine } from './engine.ts';
import type { Cage } from './hardening.ts';

/** What an engine can do for its containers, as it says itself. */
export type Facts = { holds: Cage['holds']; limits: Limits; rootless: boolean };

export async function factsOf(engine: Engine): Promise<Facts> {
  const info = await engine.info();
  const rootless =
    info.Rootless === true || info.SecurityOptions.some((one) => /rootless/.test(one));
  // An ordinary user's engine says it limits, and with the first version of control groups does not.
  const able = !rootless || info.CgroupVersion === '2';
  const holds = {
    memory: able && info.MemoryLimit === true,
    pids: able && info.PidsLimit === true,
    cpu: able && info.CpuCfsQuota === true,
  };
  const by = (held: boolean): Limits['memory'] =>
    !held ? 'none' : info.CgroupVersion === '2' ? 'cgroup-v2' : 'cgroup-v1';
  const limits = { memory: by(holds.memory), pids: by(holds.pids), cpu: by(holds.cpu) };
  return { holds, limits, rootless };
}

/** Whose files the agent's are, as the container's maker has to say it. */
export function userOf(
  engine: Engine,
  facts: Facts,
  uid: number | null,
): Pick<Cage, 'podman' | 'user' | 'keepId'> {
  const own = uid ?? process.getuid?.() ?? 65534;
  const group = uid ?? process.getgid?.() ?? 65534;
  const { podman } = engine.address;
  if (!facts.rootless) return { podman, user: `${own}:${group}`, keepId: false };
  // An engine of an ordinary user calls that user root, unless it is told to keep the number.
  return podman && hasSubordinateIds()
    ? { podman, user: `${own}:${group}`, keepId: true }
    : { podman, user: '0:0', keepId: false };
}

/** Without numbers of their own users cannot be told apart inside: there is one, and it is called root. */
function hasSubordinateIds(): boolean {
  const { username, uid } = userInfo();
  const names = (readText('/etc/subuid') ?? '').split('\n').map((line) => line.split(':')[0]);
  return names.includes(username) || names.includes(String(uid));
}
