import type { Place } from './tree-moves.ts';

export type PendingMove = { readonly id: string; readonly place: Place };

/**
 * Moves that are shown before the feed has told them. Answer and feed come in any order: a move is over once it was
 * accepted and the feed has told its node since it began.
 */
export class PendingMoves {
  #moves: { move: PendingMove; accepted: boolean; heard: boolean }[] = [];

  get all(): readonly PendingMove[] {
    return this.#moves.map(({ move }) => move);
  }

  begin(id: string, place: Place): PendingMove {
    const move = { id, place };
    this.#moves.push({ move, accepted: false, heard: false });
    return move;
  }

  accept(move: PendingMove): void {
    for (const one of this.#moves) if (one.move === move) one.accepted = true;
    this.#settle();
  }

  drop(move: PendingMove): void {
    this.#moves = this.#moves.filter((one) => one.move !== move);
  }

  /** The feed told this node anew. */
  heard(id: string): void {
    for (const one of this.#moves) if (one.move.id === id) one.heard = true;
    this.#settle();
  }

  #settle(): void {
    this.#moves = this.#moves.filter(({ accepted, heard }) => !(accepted && heard));
  }
}
