import { type Delivery, MessageCreate } from '@filepath/protocol';
import { messageOf, type LineComment } from '../text/comments.ts';
import type { DiffRow } from '../text/hunks.ts';
import type { ThreadView } from './thread-view.svelte.ts';

export type Place = Pick<LineComment, 'path' | 'side' | 'from' | 'to'>;

/** Comments that are written and not sent, for as long as the page is open. */
const unsent = new Map<string, LineComment[]>();

/** Comments on lines: collected, and sent to the agent as one message. */
export class LineComments {
  list = $state.raw<readonly LineComment[]>([]);
  /** Where one is being written. */
  place = $state.raw<Place | null>(null);
  text = $state('');
  problem = $state<string | null>(null);
  readonly #view: ThreadView;
  #editing: string | null = null;

  constructor(view: ThreadView) {
    this.#view = view;
    this.list = unsent.get(view.id) ?? [];
  }

  /** At a line; `extend` goes on from where one is being written, in the same file and side. */
  begin(path: string, side: Place['side'], line: number, extend: boolean): void {
    const { place } = this;
    if (extend && place?.path === path && place.side === side) {
      const [from, to] = [Math.min(place.from, line), Math.max(place.to, line)];
      this.place = { ...place, from, to };
      return;
    }
    if (this.text.trim() !== '' && place !== null) this.#complain();
    else this.#enter({ path, side, from: line, to: line }, '', null);
  }

  edit(comment: LineComment): void {
    const { path, side, from, to } = comment;
    this.#enter({ path, side, from, to }, comment.text, comment.id);
  }

  cancel(): void {
    this.place = null;
    this.text = '';
    this.problem = null;
    this.#editing = null;
  }

  /** Keeps what is written; `rows` are those of its file. */
  add(rows: readonly DiffRow[]): void {
    const { place, text } = this;
    if (place === null || text.trim() === '') return;
    const quote = rows.filter((row) => within(place, row)).map((row) => row.text);
    const id = this.#editing ?? crypto.randomUUID();
    const rest = this.list.filter((comment) => comment.id !== id);
    this.#keep([...rest, { ...place, id, quote, text: text.trim() }]);
    this.cancel();
  }

  remove(id: string): void {
    this.#keep(this.list.filter((comment) => comment.id !== id));
  }

  discard(): void {
    this.#keep([]);
    this.cancel();
  }

  at(path: string, row: DiffRow): LineComment[] {
    return this.list.filter((comment) => comment.path === path && endsAt(comment, row));
  }

  /** True when the agent has them. */
  async send(head: string, deliver?: Delivery): Promise<boolean> {
    const { list } = this;
    const message = MessageCreate.safeParse({ content: messageOf(list, head) });
    if (!message.success) {
      this.problem = 'They are too long for one message: send some of them first.';
      return false;
    }
    if (!(await this.#view.send(message.data.content, deliver))) {
      this.problem = this.#view.problem;
      return false;
    }
    this.problem = null;
    this.#keep(this.list.filter((comment) => !list.includes(comment)));
    return true;
  }

  #enter(place: Place, text: string, editing: string | null): void {
    this.place = place;
    this.text = text;
    this.problem = null;
    this.#editing = editing;
  }

  #complain(): void {
    this.problem = 'Add or cancel the comment that is being written first.';
  }

  #keep(list: readonly LineComment[]): void {
    this.list = list;
    unsent.set(this.#view.id, [...list]);
  }
}

const lineOf = (side: Place['side'], row: DiffRow): number | null =>
  side === 'new' ? row.new : row.kind === 'same' ? null : row.old;

export function within({ side, from, to }: Place, row: DiffRow): boolean {
  const line = lineOf(side, row);
  return line !== null && line >= from && line <= to;
}

export function endsAt({ side, to }: Place, row: DiffRow): boolean {
  return lineOf(side, row) === to;
}
