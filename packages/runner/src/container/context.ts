import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { Refusal } from '../executor/executor.ts';
import { writeFully } from '../files.ts';
import { DOCKERFILE_BYTES } from './dockerfile.ts';
import { type Entry, TAR_END, tarHead, tarPadding } from './tar.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;
const CHUNK = 2 ** 20;
const DEPTH = 64;

export type Bounds = { bytes: number; entries: number };
export const CONTEXT_BOUNDS: Bounds = { bytes: 512 * 2 ** 20, entries: 100_000 };

/**
 * Writes the files of a workspace as the context of a build, without `.git`. No link is followed on this machine:
 * every directory is opened from the one above it, and links go into the archive as links. Gives the hash of what
 * was written, and the Dockerfile as it was written. Throws a Refusal.
 */
export async function packContext(
  workspace: string,
  dockerfile: string,
  into: number,
  bounds: Bounds = CONTEXT_BOUNDS,
): Promise<{ hash: string; text: Buffer }> {
  const packer = new Packer(into, dockerfile, bounds);
  const root = openSync(workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await packer.directory(at(root, workspace), '', 0);
  } finally {
    closeSync(root);
  }
  const { text } = packer;
  if (text === null) {
    throw new Refusal(
      `${dockerfile} is no file of the repository: name one with config.dockerfile`,
    );
  }
  packer.write(TAR_END);
  return { hash: packer.digest(), text };
}

/**
 * The name of a file below the workspace. Throws a Refusal for what could be anything else: podman takes a list in JSON
 * for paths of the host, and has what ends in `.in` read by the preprocessor of C, which includes files.
 */
export function checkDockerfile(path: string): string {
  const names = path.replace(/^(\.\/)+/, '').split('/');
  const wrong = names.some((name) => name === '' || name === '.' || name === '..');
  const odd = !/^[\w.][\w .@+/-]*$/.test(path) || /\.in$/i.test(path);
  if (wrong || odd || names[0] === '.git') {
    throw new Refusal(
      `config.dockerfile must be a path inside the repository, of letters and digits, like docker/Dockerfile: ${path.slice(0, 200)}`,
    );
  }
  return names.join('/');
}

/** A directory that is open has a path that no rename changes, where the system gives it one. */
const at = (fd: number, path: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${fd}` : path;

class Packer {
  /** The bytes of the Dockerfile. */
  text: Buffer | null = null;
  readonly #into: number;
  readonly #dockerfile: string;
  readonly #bounds: Bounds;
  readonly #hash: Hash;
  #bytes = 0;
  #entries = 0;

  constructor(into: number, dockerfile: string, bounds: Bounds) {
    this.#into = into;
    this.#dockerfile = dockerfile;
    this.#bounds = bounds;
    this.#hash = createHash('sha256').update(`${dockerfile}\n`);
  }

  async directory(path: string, prefix: string, depth: number): Promise<void> {
    if (depth > DEPTH) throw new Refusal(`${prefix}: directories nest more than ${DEPTH} deep`);
    for (const base of readdirSync(path).sort()) {
      if (prefix === '' && base === '.git') continue;
      const name = `${prefix}${base}`;
      const stat = lstatSync(`${path}/${base}`, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      if (stat.isDirectory()) await this.#below(`${path}/${base}`, name, depth);
      else if (stat.isFile()) await this.#file(`${path}/${base}`, name);
      // The engine reads these itself: they are files or nothing.
      else if (stat.isSymbolicLink() && !/\.(docker|container)ignore$/.test(base)) {
        this.#add({ name, kind: 'link', target: readlinkSync(`${path}/${base}`) });
      }
    }
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  write(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#bounds.bytes) {
      const most = Math.floor(this.#bounds.bytes / 2 ** 20);
      throw new Refusal(
        `the workspace is larger than ${most} MiB: remove what the image does not need, or use config.image`,
      );
    }
    this.#hash.update(bytes);
    writeFully(this.#into, bytes);
  }

  async #below(path: string, name: string, depth: number): Promise<void> {
    const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      this.#add({ name: `${name}/`, kind: 'directory' });
      await this.directory(at(fd, path), `${name}/`, depth + 1);
    } finally {
      closeSync(fd);
    }
  }

  async #file(path: string, name: string): Promise<void> {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) return;
      const kept: Buffer[] | null = name === this.#dockerfile ? [] : null;
      if (kept !== null && stat.size > DOCKERFILE_BYTES) {
        throw new Refusal(`${name} is larger than ${DOCKERFILE_BYTES / 1024} KiB`);
      }
      const executable = (stat.mode & 0o100) !== 0;
      this.#add({ name, kind: 'file', size: stat.size, executable });
      const chunk = Buffer.alloc(Math.min(CHUNK, stat.size));
      for (let left = stat.size; left > 0;) {
        const read = readSync(fd, chunk, 0, Math.min(CHUNK, left), null);
        if (read === 0) throw new Refusal(`${name} changed while the image was prepared`);
        kept?.push(Buffer.from(chunk.subarray(0, read)));
        this.write(chunk.subarray(0, read));
        left -= read;
        await breathe();
      }
      this.write(tarPadding(stat.size));
      if (kept !== null) this.text = Buffer.concat(kept);
    } finally {
      closeSync(fd);
    }
  }

  #add(entry: Pick<Entry, 'name' | 'kind'> & Partial<Entry>): void {
    this.#entries += 1;
    if (this.#entries > this.#bounds.entries) {
      throw new Refusal(`the workspace has more than ${this.#bounds.entries} files`);
    }
    this.write(tarHead({ executable: false, size: 0, target: '', ...entry }));
  }
}
