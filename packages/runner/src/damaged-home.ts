import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartOrder, type ThreadId } from '@filepath/protocol';
import { readJson } from './files.ts';
import { RunDir } from './home.ts';

/** As `readJson`, and null for whatever else stands in a file's place. */
export function readJsonOrNull(path: string): unknown {
  try {
    return readJson(path);
  } catch {
    return null;
  }
}

/** Numbers of the epochs that have a directory, in order. */
export function epochsIn(agentDir: string): number[] {
  let names: string[];
  try {
    names = readdirSync(join(agentDir, 'run'));
  } catch {
    return [];
  }
  return names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** The thread of a home that does not say it itself, from an order in it. */
export function threadByOrders(agentDir: string, slug: string): ThreadId | null {
  for (const number of epochsIn(agentDir).reverse()) {
    const order = StartOrder.safeParse(readJsonOrNull(new RunDir(agentDir, number).order));
    if (order.success && order.data.slug === slug) return order.data.thread;
  }
  return null;
}

/** The user whose files these are. The home's own directory is not the agent's, so no link can stand in their place. */
export function ownerOf(agentDir: string): number | null {
  for (const name of ['home', 'workspace']) {
    const stat = lstatSync(join(agentDir, name), { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) return stat.uid;
  }
  return null;
}
