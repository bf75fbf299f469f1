import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const KeptFile = z.object({
  /** The CLI's own name of its session. */
  session: z.string().min(1).max(256).optional(),
  /** What the next session of the CLI is told first: the last one was full. */
  carry: z.string().max(65_536).optional(),
});
type KeptFile = z.infer<typeof KeptFile>;

/** What a driver remembers between the processes of its agent, in the agent's home. */
export class Kept {
  #path: string;
  #file: KeptFile;

  constructor(home: string, name: string) {
    mkdirSync(join(home, '.filepath'), { recursive: true });
    this.#path = join(home, '.filepath', `${name}.json`);
    this.#file = read(this.#path);
  }

  get session(): string | undefined {
    return this.#file.session;
  }

  set session(session: string | undefined) {
    if (session === this.#file.session) return;
    this.#write({ ...this.#file, session });
  }

  get carry(): string | undefined {
    return this.#file.carry;
  }

  /** The session is over; the next begins with this. */
  startOver(carry: string): void {
    this.#write({ carry: carry.slice(0, 60_000) });
  }

  carried(): void {
    if (this.#file.carry !== undefined) this.#write({ session: this.#file.session });
  }

  #write(file: { session?: string | undefined; carry?: string | undefined }): void {
    this.#file = KeptFile.parse(JSON.parse(JSON.stringify(file)));
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.#file));
    renameSync(`${this.#path}.new`, this.#path);
  }
}

function read(path: string): KeptFile {
  try {
    return KeptFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}
