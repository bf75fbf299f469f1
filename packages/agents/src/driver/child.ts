import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

const STDERR_TAIL = 8 * 1024;
const TERM_MS = 700;

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A program in a process group of its own. */
export class Child {
  readonly exited: Promise<Exit>;
  readonly stdout: Readable;
  #process: ChildProcessByStdio<Writable, Readable, Readable>;
  #stderr = '';
  #gone = false;

  /** It is ended when the signal is aborted. */
  constructor(
    command: readonly string[],
    { env, cwd, signal }: { env: NodeJS.ProcessEnv; cwd: string; signal?: AbortSignal },
  ) {
    const [program = '', ...args] = command;
    this.#process = spawn(program, args, {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.stdout = this.#process.stdout;
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL);
    });
    // A program that is gone cannot be written to; its exit says so.
    this.#process.stdin.on('error', () => undefined);
    const end = (): void => void this.end();
    signal?.addEventListener('abort', end, { once: true });
    this.exited = new Promise((resolve) => {
      this.#process.once('error', (error) => {
        this.#stderr += error.message;
        this.#gone = true;
        resolve({ code: 127, signal: null });
      });
      this.#process.once('close', (code, killed) => {
        this.#gone = true;
        signal?.removeEventListener('abort', end);
        resolve({ code, signal: killed });
      });
    });
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** The end of what it printed on stderr. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  writeLine(value: unknown): void {
    if (!this.#gone) this.#process.stdin.write(`${JSON.stringify(value)}\n`);
  }

  /** TERM, then KILL, of the whole group; resolves when it is gone. */
  async end(): Promise<void> {
    if (this.#gone) return;
    this.#process.stdin.end();
    this.#kill('SIGTERM');
    const timer = setTimeout(() => this.#kill('SIGKILL'), TERM_MS);
    await this.exited;
    clearTimeout(timer);
    this.#kill('SIGKILL');
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#process;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is gone.
    }
  }
}

/** `claude ended with exit status 1: its last words`. */
export function exitReason(name: string, exit: Exit, stderr: string): string {
  const how = exit.signal === null ? `exit status ${exit.code}` : exit.signal;
  const words = stderr.split('\n').slice(-6).join('\n').slice(-600);
  return `${name} ended with ${how}${words === '' ? '' : `: ${words}`}`;
}
