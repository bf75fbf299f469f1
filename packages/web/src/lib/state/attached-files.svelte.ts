import { type AttachmentRef, FILE_LIMITS, FileName } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { bytes as size } from '../text/format.ts';

export type AttachedFile = {
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  readonly type: string;
  /** Null: it is on its way. */
  readonly sha256: string | null;
};

/** Files for the message that is being written. They are kept by the thread before it names them. */
export class AttachedFiles {
  files = $state.raw<readonly AttachedFile[]>([]);
  problem = $state<string | null>(null);
  readonly #thread: string;
  #last = 0;

  constructor(thread: string) {
    this.#thread = thread;
  }

  get busy(): boolean {
    return this.files.some(({ sha256 }) => sha256 === null);
  }

  get refs(): AttachmentRef[] {
    return this.files.flatMap(({ name, sha256 }) => (sha256 === null ? [] : [{ name, sha256 }]));
  }

  async add(files: readonly File[]): Promise<void> {
    this.problem = null;
    const room = FILE_LIMITS.message - this.files.length;
    if (files.length > room) {
      this.problem = `A message takes ${FILE_LIMITS.message} files: the others were left out.`;
    }
    await Promise.all(files.slice(0, Math.max(0, room)).map((file) => this.#take(file)));
  }

  remove(key: number): void {
    this.files = this.files.filter((file) => file.key !== key);
    this.problem = null;
  }

  clear(): void {
    this.files = [];
    this.problem = null;
  }

  async #take(file: File): Promise<void> {
    const name = nameOf(file);
    if (file.size > FILE_LIMITS.bytes) {
      this.problem = `${name} is larger than ${size(FILE_LIMITS.bytes)}. Put it into the repository, or send a part of it.`;
      return;
    }
    const key = (this.#last += 1);
    this.files = [...this.files, { key, name, bytes: file.size, type: file.type, sha256: null }];
    try {
      const { sha256, type } = await client.thread.keepFile(this.#thread, file);
      this.files = this.files.map((one) => (one.key === key ? { ...one, sha256, type } : one));
    } catch (error) {
      this.remove(key);
      const why = await problemOf(error);
      if (why !== null) this.problem = `${name} could not be sent: ${why}`;
    }
  }
}

/** A pasted image has a name of the browser's, or none. */
function nameOf(file: File): string {
  const name = FileName.safeParse(file.name.replaceAll(/[/\\\p{Cc}]/gu, '-').slice(-120));
  return name.success ? name.data : 'file';
}
