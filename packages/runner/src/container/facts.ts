import type { Limits } from '@filepath/protocol';
import type { Engine } from './engine.ts';
import type { Cage } from './hardening.ts';

/** What an engine can do for its containers, as it says itself. */
export type Facts = { holds: Cage['holds']; limits: Limits; rootless: boolean };

export async function factsOf(engine: Engine): Promise<Facts> {
  const info = await engine.info();
  const rootless =
    info.Rootless === true || info.SecurityOptions.some((one) => /rootless/.test(one));
  const holds = {
    memory: info.MemoryLimit === true,
    pids: info.PidsLimit === true,
    cpu: info.CpuCfsQuota === true,
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
  return podman
    ? { podman, user: `${own}:${group}`, keepId: true }
    : { podman, user: '0:0', keepId: false };
}
