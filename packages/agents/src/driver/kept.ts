import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const KeptFile = z.object({
  /** The CLI's own name of its session. */
  session: z.string().min(1).max(256).optional(),
});
type KeptFile = z.infer<typeof KeptFile>;

/** What a driver remembers between the processes of its agent, in the agent's home. */
export class Kept {
  #path: string;
  #file: KeptFile;

  /** `fresh`: what the last process kept is left behind. */
  constructor(home: string, name: string, { fresh }: { readonly fresh: boolean }) {
    mkdirSync(join(home, '.filepath'), { recursive: true });
    this.#path = join(home, '.filepath', `${name}.json`);
    this.#file = read(this.#path);
    if (fresh) this.session = undefined;
  }

  get session(): string | undefined {
    return this.#file.session;
  }

  set session(session: string | undefined) {
    if (session === this.#file.session) return;
    this.#file = session === undefined ? {} : { session };
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
