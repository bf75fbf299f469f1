import { type AttachmentRef, FILE_LIMITS, fileNameOf, type KeptFile } from '@filepath/protocol';
import { problemOf } from '../api.ts';
import { bytes as size } from '../text/format.ts';

export type AttachedFile = {
  readonly key: number;
  readonly name: string;
  /** Null: not known. */
  readonly bytes: number | null;
  readonly type: string;
  /** Null: it is on its way. */
  readonly sha256: string | null;
};

type Place = {
  /** Keeps a file until a message names it. */
  readonly keep: (file: File) => Promise<Pick<KeptFile, 'sha256' | 'type'>>;
  /** What to do with one that is too large. */
  readonly instead: string;
};

/** Files for the message that is being written. They are kept before it names them. */
export class AttachedFiles {
  files = $state.raw<readonly AttachedFile[]>([]);
  problem = $state<string | null>(null);
  readonly #place: Place;
  #last = 0;

  constructor(place: Place) {
    this.#place = place;
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

  /** What was not sent after all. */
  restore(files: readonly AttachedFile[]): void {
    if (this.files.length === 0) this.files = files;
  }

  async #take(file: File): Promise<void> {
    const name = fileNameOf(file.name);
    if (file.size > FILE_LIMITS.bytes) {
      this.problem = `${name} is larger than ${size(FILE_LIMITS.bytes)}. ${this.#place.instead}`;
      return;
    }
    const key = (this.#last += 1);
    this.files = [...this.files, { key, name, bytes: file.size, type: file.type, sha256: null }];
    try {
      const { sha256, type } = await this.#place.keep(file);
      this.files = this.files.map((one) => (one.key === key ? { ...one, sha256, type } : one));
    } catch (error) {
      this.remove(key);
      const why = await problemOf(error);
      if (why !== null) this.problem = `${name} could not be sent: ${why}`;
    }
  }
}
