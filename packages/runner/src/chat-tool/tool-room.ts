import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ToolFile } from '@filepath/protocol';
import type { Place } from '../executor/executor.ts';
import { ScopedFiles, ScopeRefusal } from '../tunnel/scoped-files.ts';
import { writeBeneath } from '../write-beneath.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** Below those of agents. Whoever runs as it sees one directory, and one runs at a time. */
const UID = 20_000;
/** Of one chat. */
const MOST = { files: 200, bytes: 2 * 1024 * 1024, entries: 5_000 };

/** A directory for one call of a tool. It is gone after it. */
export class ToolRoom {
  readonly place: Place;
  readonly files: ScopedFiles;

  constructor(parent: string, given: readonly ToolFile[]) {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    const dir = mkdtempSync(join(parent, 'call-'));
    const uid = process.getuid?.() === 0 ? UID : null;
    this.place = { slug: 'chat-tool', dir, uid };
    if (uid !== null) {
      chownSync(dir, 0, uid);
      chmodSync(dir, 0o710);
    }
    for (const name of ['workspace', 'home']) {
      mkdirSync(join(dir, name), { mode: 0o700 });
      if (uid !== null) chownSync(join(dir, name), uid, uid);
    }
    for (const { path, text } of given.filter(isKept))
      writeBeneath(this.#workspace, path.split('/'), Buffer.from(text), uid);
    this.files = new ScopedFiles(this.#workspace);
  }

  /** What is different from before. Links, binaries and what is too much are left out, and named. */
  changes(given: readonly ToolFile[]): {
    changed: ToolFile[];
    removed: string[];
    leftOut: string[];
  } {
    const before = new Map(given.filter(isKept).map(({ path, text }) => [path, text]));
    const changed: ToolFile[] = [];
    const leftOut: string[] = [];
    const here = new Set<string>();
    let bytes = 0;
    for (const path of this.#paths()) {
      const text = this.#text(path);
      bytes += text === null ? 0 : Buffer.byteLength(text);
      if (text === null || here.size >= MOST.files || bytes > MOST.bytes) {
        leftOut.push(path);
        continue;
      }
      here.add(path);
      if (before.get(path) !== text) changed.push({ path, text });
    }
    const removed = [...before.keys()].filter((path) => !here.has(path));
    return { changed, removed, leftOut: leftOut.slice(0, 20) };
  }

  close(): void {
    this.files.close();
    rmSync(this.place.dir, { recursive: true, force: true });
  }

  get #workspace(): string {
    return join(this.place.dir, 'workspace');
  }

  #text(path: string): string | null {
    try {
      return this.files.get(path);
    } catch (error) {
      if (error instanceof ScopeRefusal) return null;
      throw error;
    }
  }

  /** Of regular files; the first of very many. */
  #paths(): string[] {
    const out: string[] = [];
    let left = MOST.entries;
    const walk = (at: string, prefix: string): void => {
      let fd: number;
      try {
        fd = openSync(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      } catch {
        return;
      }
      try {
        for (const entry of readdirSync(`/proc/self/fd/${fd}/.`, { withFileTypes: true })) {
          if ((left -= 1) < 0) return;
          const path = `${prefix}${entry.name}`;
          if (entry.isDirectory() && isKept({ path }) && path.length < 512)
            walk(`/proc/self/fd/${fd}/${entry.name}`, `${path}/`);
          else if (entry.isFile()) out.push(path);
        }
      } finally {
        closeSync(fd);
      }
    };
    walk(this.#workspace, '');
    return out.toSorted();
  }
}

/** What git keeps is not carried to and fro: it could name other places of this machine. */
function isKept({ path }: { path: string }): boolean {
  return !path.split('/').some((name) => name.toLowerCase() === '.git');
}
