import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTimeOf } from '@filepath/worker/engine';
import { expect, it, onTestFinished } from 'vitest';
import { countRunningAgents } from '../src/running-agents.ts';

function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'filepath-agents-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** What the shim of an epoch leaves: `pid start boot`, and `exit` once it ended. */
function epoch(home: string, agent: string, number: number, pid: string, exit?: string): void {
  const dir = join(home, 'agents', agent, 'run', String(number));
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'pid'), `${pid}\n`);
  if (exit !== undefined) writeFileSync(join(dir, 'exit'), exit);
}

it('counts the agents that have a process, each once', async () => {
  const home = temporaryHome();
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const alive = `${child.pid} ${startTimeOf(child.pid ?? 0)?.replace('/', ' ')}`;
  const dead = `${spawnSync('true').pid} 1 boot`;
  epoch(home, 'at-work', 1, dead, '0');
  epoch(home, 'at-work', 2, alive);
  epoch(home, 'ended', 1, alive, '0');
  epoch(home, 'killed', 1, dead);
  epoch(home, 'torn', 1, '');
  expect(countRunningAgents(home)).toBe(1);
});

it('counts none in a home that has no agents', () => {
  expect(countRunningAgents(temporaryHome())).toBe(0);
});
