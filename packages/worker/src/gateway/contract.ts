import type {
  CallId,
  GatewayCall,
  RefusalCode,
  RunnerId,
  ThreadId,
  TokenCounts,
  WireFormat,
} from '@filepath/protocol';

/** Money is counted in whole billionths of a dollar: sums stay exact. */
export const NANO = 1e9;

/** Billionths of a dollar for one token. A model that costs nothing has zeros. */
export type Price = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

/** Where a call goes. */
export type Upstream = {
  readonly provider: string;
  /** The provider's own URL of this request. Null: the model is answered here (`offline/demo`). */
  readonly url: string | null;
  /** Headers that carry the provider's key; they take the place of the agent's. */
  readonly headers: Readonly<Record<string, string>>;
  /** The name by which the provider knows the model: the body's own, unless that named a provider too. */
  readonly model: string;
  /** Null: nobody knows. */
  readonly price: Price | null;
  /** The most tokens the model can answer with, where that is known. */
  readonly maxOutput: number | null;
};

/** Which provider answers for a model. Reads memory, not D1, once it is warm. */
export type Directory = {
  /** `path` is what follows the format's prefix: `/v1/messages`, `/v1/messages/count_tokens`, `/v1/models` … */
  route(format: WireFormat, path: string, model: string): Promise<Upstream | RouteRefusal>;
};

/** `message` is for a person: what is missing, and where to set it. */
export type RouteRefusal = { readonly refused: RefusalCode; readonly message: string };

export type Ask = {
  readonly call: CallId;
  /** The agent's key as it came, and what the runner's credential says. Both must be of one node. */
  readonly key: string;
  readonly runner: RunnerId;
  readonly thread: ThreadId;
  readonly format: WireFormat;
  readonly provider: string;
  readonly model: string;
  readonly price: Price | null;
  /** The worst that the call can cost: no tokenizer makes more tokens of it. */
  readonly inputBound: number;
  /** The limit in the request, or the most that the model can answer with. */
  readonly outputBound: number;
  /**
   * What of it costs more than its tokens at the price, in words; then `price` is null. Not `bounded`: its tokens have
   * no bound either, and no budget lets it through.
   */
  readonly unknown?: { readonly what: string; readonly bounded: boolean };
};

/** Who asks. */
export type Bearer = Pick<Ask, 'key' | 'runner' | 'thread'>;

export type Grant =
  | {
      readonly ok: true;
      /** At most what was asked for. */
      readonly outputBound: number;
      /** No budget stands above the node: the next call will be granted as well. */
      readonly standing?: boolean;
    }
  | { readonly ok: false; readonly code: 'bad_key' }
  | {
      readonly ok: false;
      readonly code: RefusalCode;
      readonly message: string;
      readonly scope?: string;
    };

/** How a call ended. Null tokens: nobody could count, and the worst case holds. */
export type Outcome = Pick<
  GatewayCall,
  'outcome' | 'status' | 'firstByteMs' | 'durationMs' | 'error' | 'retryAfterSeconds'
> & {
  readonly tokens: TokenCounts | null;
  /** `tokens` is an upper bound: the input is counted, the output is not. */
  readonly estimated?: boolean;
};

/** The budget of a tree, kept by its session. Every call may be repeated: it is known by its id. */
export type Ledger = {
  /** Whether the key is good: for what costs nothing. */
  check(ask: Bearer): Promise<boolean>;
  /** Tells a call that was refused before anything was reserved for it. False: the key is not good. */
  refused(ask: Ask, refusal: RouteRefusal): Promise<boolean>;
  /** Checks the key and takes the worst case from every budget above the node, or refuses. */
  reserve(ask: Ask): Promise<Grant>;
  /** The stream still runs. A reservation that nobody renews for `LEASE_MS` settles at its worst case. */
  renew(call: CallId): Promise<void>;
  /** Settles what was used, once; after an estimate the real count takes its place. */
  settle(call: CallId, outcome: Outcome): Promise<void>;
};

/** An answer shorter than this is of no use to an agent. */
export const LEAST_OUTPUT = 1024;

export const LEASE_MS = 60_000;
export const RENEW_MS = 20_000;
