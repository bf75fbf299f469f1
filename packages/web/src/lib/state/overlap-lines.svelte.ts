import { SvelteMap } from 'svelte/reactivity';
import type { ChangedFile, Node } from '@filepath/protocol';
import { client } from '../api.ts';
import { changedLines, type Lines, meet } from '../text/hunks.ts';

export type Other = { id: string; name: string };

/** Which lines others changed of the files that they and this agent changed. */
export class OverlapLines {
  readonly #lines = new SvelteMap<string, readonly Lines[]>();
  readonly #asked = new Set<string>();

  /** Those that changed the same lines of a file, by the tree. */
  others(node: Node, path: string, nodes: ReadonlyMap<string, Node>): Other[] {
    return (node.overlaps ?? [])
      .filter(({ files }) => files.includes(path))
      .map(({ node: id }) => ({ id, name: nodes.get(id)?.name ?? 'another agent' }));
  }

  /** Those of them that changed this part. Unknown until they are asked: then all of them. */
  at(path: string, others: readonly Other[], hunk: ChangedFile['hunks'][number]): Other[] {
    const own = changedLines([hunk]);
    return others.filter(({ id }) => {
      const theirs = this.#lines.get(`${id} ${path}`);
      return theirs !== undefined && meet(own, theirs);
    });
  }

  /** Once for each: what cannot be read leaves the file's own warning. */
  async ask(path: string, others: readonly Other[]): Promise<void> {
    for (const { id } of others) {
      const key = `${id} ${path}`;
      if (this.#asked.has(key)) continue;
      this.#asked.add(key);
      try {
        const { files } = await client.node.changes(id, path);
        const file = files.find((one) => one.path === path);
        this.#lines.set(key, changedLines(file?.hunks ?? []));
      } catch {
        this.#asked.delete(key);
        return;
      }
    }
  }
}
