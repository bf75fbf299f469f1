import type { ServerResponse } from 'node:http';
import type { TokenCounts } from '@filepath/protocol';
import { type Outcome, writeAnswer } from './answer.ts';
import type { Answer, Format } from './format.ts';
import type { ModelRequest } from './request.ts';
import type { Turn } from './turn.ts';
import { sumOf, usageOf } from './usage.ts';

/** A request for an answer, and what became of it. */
export type ModelCall = {
  readonly number: number;
  readonly request: ModelRequest;
  readonly turn: Turn;
  /** As it was reported to the client. Null as long as it was not. */
  readonly usage: () => TokenCounts | null;
  readonly ended: Promise<Outcome>;
};

/** The calls that a server has had, each answered by its turn. */
export class Calls {
  readonly all: ModelCall[] = [];
  readonly #waiting = new Map<number, PromiseWithResolvers<ModelCall>>();
  #open = 0;

  get open(): number {
    return this.#open;
  }

  /** What the answers reported, in total. */
  count(): TokenCounts {
    return sumOf(this.all.flatMap((call) => call.usage() ?? []));
  }

  async nth(number: number): Promise<ModelCall> {
    const call = this.all[number - 1];
    if (call) return call;
    const waiting = this.#waiting.get(number) ?? Promise.withResolvers<ModelCall>();
    this.#waiting.set(number, waiting);
    return waiting.promise;
  }

  async answer(
    response: ServerResponse,
    format: Format,
    request: ModelRequest,
    turn: Turn,
    signal: AbortSignal,
  ): Promise<void> {
    const number = this.all.length + 1;
    const ended = Promise.withResolvers<Outcome>();
    let reported: TokenCounts | null = null;
    const call = { number, request, turn, usage: () => reported, ended: ended.promise };
    this.all.push(call);
    this.#waiting.get(number)?.resolve(call);
    const usage = usageOf(turn, request.raw);
    const told = (): void => {
      reported = usage;
    };
    this.#open += 1;
    try {
      const answer = toAnswer(number, request, turn, usage);
      ended.resolve(await writeAnswer(response, format, request, answer, signal, told));
    } catch (error) {
      ended.resolve('left');
      if (!signal.aborted) throw error;
    } finally {
      this.#open -= 1;
    }
  }
}

function toAnswer(id: number, request: ModelRequest, turn: Turn, usage: TokenCounts): Answer {
  return {
    id,
    model: request.model,
    turn,
    calls: (turn.tools ?? []).map((tool, at) => ({
      ...tool,
      id: tool.id ?? `call_${id}_${at + 1}`,
    })),
    usage: turn.fault?.kind === 'no-usage' ? null : usage,
  };
}
