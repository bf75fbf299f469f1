import type { Node } from '@filepath/protocol';
import { client } from '../api.ts';
import { commandsFor } from '../text/commands.ts';
import { completed, type Trigger, triggerAt } from '../text/trigger.ts';

export type Suggestion = {
  readonly key: string;
  readonly kind: 'command' | 'agent' | 'file';
  /** What is put into the text. */
  readonly word: string;
  readonly label: string;
  readonly about: string;
  readonly status?: Node['status'];
};

const AGENTS = 8;
const PAUSE_MS = 120;

type Parts = { id: string; nodes: () => Iterable<Node> };

/** What is offered for the word at the caret: commands, agents of the session, files of the workspace. */
export class Suggestions {
  active = $state(0);
  files = $state.raw<readonly string[]>([]);
  /** Files are being looked up. */
  looking = $state(false);
  #trigger = $state.raw<Trigger | null>(null);
  /** The word for which the person does not want any. */
  #dismissed: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = '';
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly items = $derived.by((): readonly Suggestion[] => {
    const trigger = this.#trigger;
    if (trigger === null) return [];
    if (trigger.kind === 'command') return commandsFor(trigger.query).map(ofCommand);
    const wanted = trigger.query.toLowerCase();
    const files = this.files.filter((path) => path.toLowerCase().includes(wanted));
    return [...this.#agents(wanted), ...files.map(ofFile)];
  });

  get open(): boolean {
    return this.items.length > 0;
  }

  get title(): string {
    return this.#trigger?.kind === 'command' ? 'Commands' : 'Agents and files';
  }

  /** The command stands there whole: there is nothing to complete. */
  isWhole(text: string): boolean {
    const item = this.items[this.active];
    return item?.kind === 'command' && item.word === text.trim();
  }

  look(text: string, caret: number): void {
    const trigger = triggerAt(text, caret);
    if (trigger === null) this.#dismissed = null;
    const wanted = trigger !== null && trigger.from !== this.#dismissed ? trigger : null;
    if (wanted?.query !== this.#trigger?.query || wanted?.kind !== this.#trigger?.kind) {
      this.active = 0;
    }
    this.#trigger = wanted;
    if (wanted?.kind === 'mention') this.#lookForFiles(wanted.query);
    else this.#forgetFiles();
  }

  move(by: 1 | -1): void {
    const { length } = this.items;
    if (length > 0) this.active = (this.active + by + length) % length;
  }

  /** The text with the suggestion in it. */
  take(
    text: string,
    item: Suggestion | undefined = this.items[this.active],
  ): ReturnType<typeof completed> | null {
    const trigger = this.#trigger;
    if (trigger === null || item === undefined) return null;
    this.close();
    return completed(text, trigger, item.word);
  }

  dismiss(): void {
    this.#dismissed = this.#trigger?.from ?? null;
    this.close();
  }

  close(): void {
    this.#trigger = null;
    this.#forgetFiles();
  }

  #agents(wanted: string): Suggestion[] {
    return [...this.#parts.nodes()]
      .filter(({ id, name }) => id !== this.#parts.id && name.toLowerCase().includes(wanted))
      .sort((one, two) => rank(one.name, wanted) - rank(two.name, wanted))
      .slice(0, AGENTS)
      .map(ofNode);
  }

  #lookForFiles(query: string): void {
    if (query === this.#asked) return;
    this.#asked = query;
    this.looking = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(query), PAUSE_MS);
  }

  /** An agent without a workspace has no files: agents are offered all the same. */
  async #ask(query: string): Promise<void> {
    const found = await client.node.files(this.#parts.id, query).catch(() => null);
    if (this.#asked !== query) return;
    this.looking = false;
    this.files = found?.files ?? [];
  }

  #forgetFiles(): void {
    clearTimeout(this.#timer);
    this.#asked = '';
    this.looking = false;
    this.files = [];
  }
}

const rank = (name: string, wanted: string): number =>
  name.toLowerCase().startsWith(wanted) ? 0 : 1;

const ofCommand = ({ name, argument, about }: ReturnType<typeof commandsFor>[number]) =>
  ({
    key: `/${name}`,
    kind: 'command',
    word: `/${name}`,
    label: argument === undefined ? `/${name}` : `/${name} [${argument}]`,
    about,
  }) satisfies Suggestion;

const ofNode = ({ id, name, agentType, status }: Node) =>
  ({
    key: id,
    kind: 'agent',
    word: `@${name}`,
    label: name,
    about: agentType,
    status,
  }) satisfies Suggestion;

const ofFile = (path: string) =>
  ({
    key: `file:${path}`,
    kind: 'file',
    word: `@${path}`,
    label: path,
    about: '',
  }) satisfies Suggestion;
