import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** A fresh clone with nothing installed, and a PATH on which only what a test puts there is found. */
export class Checkout {
  readonly root = mkdtempSync(join(tmpdir(), 'filepath-checkout-'));
  readonly #bin = join(this.root, 'path');

  constructor() {
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
    cpSync(join(repository, 'scripts'), join(this.root, 'scripts'), { recursive: true });
    mkdirSync(this.#bin);
    symlinkSync(process.execPath, join(this.#bin, 'node'));
    for (const name of ['mkdir', 'ln']) symlinkSync(`/bin/${name}`, join(this.#bin, name));
    this.write('package.json', '{"type":"module"}');
    this.write('package-lock.json', '{}');
  }

  write(path: string, content: string): void {
    writeFileSync(join(this.root, path), content);
  }

  program(name: string, script: string): void {
    this.write(`path/${name}`, `#!/bin/sh\n${script}\n`);
    chmodSync(join(this.#bin, name), 0o755);
  }

  /** An npm of that version, whose `ci` runs the given script. */
  npm(version: string, ci: string): void {
    this.program('npm', `if [ "$1" = --version ]; then echo ${version}; else ${ci}; fi`);
  }

  start(...args: string[]): Promise<Ended> {
    return run(process.execPath, [join(this.root, 'scripts/start.mjs'), ...args], {
      PATH: this.#bin,
    });
  }
}

export async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}
