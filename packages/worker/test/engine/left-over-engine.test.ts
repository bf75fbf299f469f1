import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { endLeftOverEngine } from '../../engine/engine-file.ts';
import { startTimeOf } from '../../engine/index.ts';
import { workerdBinary } from '../../engine/miniflare.ts';
import { fixtureEngine, temporaryHome } from './engine-fixture.ts';

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", network = ())],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);`;

/** A workerd that nobody waits for, as a killed instance leaves it where the system has no setpriv. */
async function leaveWorkerd(home: string): Promise<number> {
  writeFileSync(join(home, 'config.capnp'), CONFIG);
  const child = spawn(workerdBinary(), ['serve', '--control-fd=3', join(home, 'config.capnp')], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const control = child.stdio[3];
  if (control === null || control === undefined) throw new Error('no control pipe');
  await once(control, 'data');
  return child.pid ?? 0;
}

function note(home: string, noted: unknown): void {
  writeFileSync(join(home, 'engine.json'), JSON.stringify(noted));
}

describe('an engine that an earlier start left behind', () => {
  it('is ended before the next one starts', async () => {
    const home = temporaryHome();
    const pid = await leaveWorkerd(home);
    note(home, { pid, startTime: startTimeOf(pid) });
    const engine = await fixtureEngine({ home });
    expect(startTimeOf(pid)).toBeNull();
    expect(engine.pid()).not.toBe(pid);
  });

  it('is left alone when it started at another time than was noted', async () => {
    const home = temporaryHome();
    const pid = await leaveWorkerd(home);
    note(home, { pid, startTime: '1' });
    expect(await endLeftOverEngine(home)).toBe(false);
    expect(startTimeOf(pid)).not.toBeNull();
  });

  it('is left alone when it is not workerd', async () => {
    const home = temporaryHome();
    const child = spawn('sleep', ['60']);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    note(home, { pid, startTime: startTimeOf(pid) });
    expect(await endLeftOverEngine(home)).toBe(false);
    expect(startTimeOf(pid)).not.toBeNull();
  });

  it('is not looked for when what was noted makes no sense', async () => {
    const home = temporaryHome();
    note(home, { pid: -1, startTime: [] });
    expect(await endLeftOverEngine(home)).toBe(false);
    expect(existsSync(join(home, 'engine.json'))).toBe(false);
  });
});
