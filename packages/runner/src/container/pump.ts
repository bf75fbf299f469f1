import { closeSync, fstatSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../files.ts';
import type { RunDir } from '../home.ts';

const CREDIT_MS = 50;
const FULL_MS = 500;

type Doing = 'flow' | 'wait' | 'full';

/**
 * Appends what an agent in a container prints to its spool, as far as `credit` goes, and says in `pump` what it does. What
 * it holds it holds until there is room: nothing is dropped, and the engine waits with the agent.
 */
export class Pump {
  readonly #run: RunDir;
  readonly #fd: number;
  #at: number;
  #credit = 0;
  #said: Doing | null = null;

  constructor(run: RunDir) {
    this.#run = run;
    this.#fd = openSync(run.spool, 'a', 0o600);
    this.#at = fstatSync(this.#fd).size;
  }

  async append(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const room = await this.#room();
      try {
        const wrote = writeSync(this.#fd, bytes, done, Math.min(room, bytes.length - done));
        done += wrote;
        this.#at += wrote;
      } catch (error) {
        if (errorCode(error) !== 'ENOSPC' && errorCode(error) !== 'EDQUOT') throw error;
        this.#say('full');
        await delay(FULL_MS);
      }
    }
    this.#say('flow');
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Bytes that may be written. */
  async #room(): Promise<number> {
    while (this.#credit <= this.#at) {
      this.#credit = readCredit(this.#run.credit);
      if (this.#credit > this.#at) break;
      this.#say('wait');
      await delay(CREDIT_MS);
    }
    return this.#credit - this.#at;
  }

  #say(doing: Doing): void {
    if (this.#said === doing) return;
    try {
      writeFileSync(this.#run.pump, `${doing}\n`, { mode: 0o600 });
      this.#said = doing;
    } catch {
      // On a full disk it is said later.
    }
  }
}

function readCredit(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8')) || 0;
  } catch {
    return 0;
  }
}
