import { NO_TOKENS } from '@filepath/protocol';
import { editBody } from './body/edit-body.ts';
import type { Ask, Grant, Ledger, Outcome, Upstream } from './contract.ts';
import {
  failureOf,
  isRedirect,
  REDIRECTED,
  retryAfterOf,
  withoutSecrets,
  wordsOf,
} from './failure.ts';
import { secretsIn, toAgent } from './headers.ts';
import type { Incoming } from './incoming.ts';
import { type Limit, limitFor } from './limit.ts';
import { isStream, type Meter, meterFor } from './meter/meter.ts';
import { countedBy, endedBy } from './outcome.ts';
import { Passage } from './passage.ts';
import { errorEvent, providerError } from './provider-error.ts';
import { notGranted, refusal } from './refusal.ts';
import { outgoingOf, type Sender } from './send.ts';
import { settle } from './settle.ts';
import type { Ahead } from './standing.ts';
import type { Times } from './times.ts';

type Deps = {
  readonly ledger: Ledger;
  readonly sender: Sender;
  readonly times: Times;
  readonly ahead: () => Ahead;
};
type Answer = (response: Response) => void;
type End = Omit<Outcome, 'firstByteMs' | 'durationMs'>;

const isAs = (grant: Grant, outputBound: number): boolean =>
  grant.ok && grant.outputBound === outputBound;

const NOTHING_SENT: End = { outcome: 'failed', status: null, tokens: NO_TOKENS };

/** One call to a model: reserved, sent, passed on and settled. It goes on when the agent has left. */
export class MeteredCall {
  #deps: Deps;
  #ahead: Ahead;
  #ask: Ask;
  #incoming: Incoming;
  #upstream: Upstream;
  #secrets: readonly string[];
  #waiting = new AbortController();
  /** What the session says of it. Nothing is passed on or settled before it is known. */
  #word: Promise<Grant> | null = null;
  #ticking: ReturnType<typeof setInterval> | undefined;
  /** What an answer passes through, made while the provider has the request. */
  #prepared: { streams: boolean; meter: Meter; passage: Passage } | null = null;
  #passage: Passage | null = null;
  #started = 0;
  #renewed = 0;
  #leftAt: number | null = null;

  constructor(deps: Deps, ask: Ask, incoming: Incoming, upstream: Upstream) {
    this.#deps = deps;
    this.#ahead = deps.ahead();
    this.#ask = ask;
    this.#incoming = incoming;
    this.#upstream = upstream;
    this.#secrets = secretsIn(upstream.headers);
  }

  /** Answers once, and ends when the call is settled. */
  async run(answer: Answer): Promise<void> {
    const expected = { ok: true, outputBound: this.#ask.outputBound } as const;
    const grant = this.#ahead.holds ? expected : await this.#granted();
    if (!grant.ok) {
      answer(notGranted(this.#ask.format, grant));
      return;
    }
    this.#started = Date.now();
    this.#renewed = this.#started;
    // A write to an agent that has left fails; only this tells it while there is nothing to write.
    const { left } = this.#incoming;
    if (left.aborted) {
      if ((await this.#granted()).ok) await this.#settle({ ...NOTHING_SENT, outcome: 'cancelled' });
      answer(providerError(this.#ask.format, 'unreachable', 'The agent has left.'));
      return;
    }
    const leave = (): void => this.#leave();
    left.addEventListener('abort', leave);
    try {
      const limit = limitFor(this.#ask, this.#incoming, this.#upstream, grant.outputBound);
      if (limit === 'short') await this.#refuse(grant.outputBound, answer);
      else await this.#carry(limit, grant.outputBound, answer);
    } finally {
      clearInterval(this.#ticking);
      left.removeEventListener('abort', leave);
      // It failed before its session was asked.
      if (this.#word === null) this.#ahead.said(false);
    }
  }

  /** What the session says, once. */
  #granted(): Promise<Grant> {
    this.#word ??= this.#reserve();
    return this.#word;
  }

  /** The next call need not wait for the session's word where it would be the same. A session that fails says nothing of it. */
  async #reserve(): Promise<Grant> {
    let stands = false;
    try {
      const grant = await this.#deps.ledger.reserve(this.#ask);
      stands = grant.ok && grant.standing === true;
      return grant;
    } finally {
      this.#ahead.said(stands);
    }
  }

  /**
   * The call may have begun by what the session said last: a word that is another than expected breaks it off. What the
   * answer does not have to wait for is done then too, while the provider has the request.
   */
  #confirm(outputBound: number): void {
    this.#granted().then(
      (grant) => {
        if (isAs(grant, outputBound)) this.#prepare(this.#incoming.body?.stream ?? false);
        else this.#waiting.abort();
      },
      () => this.#waiting.abort(),
    );
  }

  #prepare(streams: boolean): { meter: Meter; passage: Passage } {
    const { times } = this.#deps;
    this.#ticking ??= setInterval(() => this.#tick(Date.now()), times.tick);
    if (this.#prepared?.streams === streams) return this.#prepared;
    const meter = meterFor(this.#ask.format, streams);
    this.#prepared = { streams, meter, passage: new Passage(meter, times) };
    return this.#prepared;
  }

  /** Whether the call is reserved as it was sent. Where it is not, the agent is told, and it is over. */
  async #holds(outputBound: number, answer: Answer): Promise<boolean> {
    const grant = await this.#granted();
    if (isAs(grant, outputBound)) return true;
    if (!grant.ok) {
      answer(notGranted(this.#ask.format, grant));
      return false;
    }
    // The budget came in between: how much of it this call has used, nobody knows.
    const message = 'The budget changed while this call began. Call again.';
    await this.#settle({ outcome: 'failed', status: null, tokens: null, error: message });
    answer(providerError(this.#ask.format, 'unreachable', message));
    return false;
  }

  /** What is left would do for an answer, but not for this one. */
  async #refuse(granted: number, answer: Answer): Promise<void> {
    const message = `What is left of the budget allows an answer of ${granted} tokens, and this request cannot be limited to that. Ask for less, or have a person raise the budget.`;
    await this.#settle({ ...NOTHING_SENT, error: message });
    answer(refusal(this.#ask.format, { refused: 'budget', message }));
  }

  async #carry(limit: Limit, outputBound: number, answer: Answer): Promise<void> {
    const response = await this.#send(limit, outputBound, answer);
    // A prompt is not held in memory for as long as its answer takes.
    this.#incoming = { ...this.#incoming, bytes: new Uint8Array(), body: null };
    if (!response) return;
    if (!(await this.#holds(outputBound, answer))) {
      await response.body?.cancel().catch(() => undefined);
      return;
    }
    const { status, headers } = response;
    const shown = { status, headers: toAgent(headers, this.#secrets) };
    if (isRedirect(response)) {
      await response.body?.cancel();
      await this.#settle({ ...NOTHING_SENT, status, error: REDIRECTED });
      answer(providerError(this.#ask.format, 'unreachable', REDIRECTED));
    } else if (!response.ok) {
      const text = await failureOf(response, this.#secrets);
      const now = Date.now();
      const retryAfterSeconds = retryAfterOf(headers, now);
      // A limit may hold the agent still before it reads this: a time span would count from then.
      if (retryAfterSeconds !== undefined) {
        const at = new Date(now + retryAfterSeconds * 1000).toISOString();
        shown.headers.set('x-filepath-retry-at', at);
      }
      await this.#settle({
        ...NOTHING_SENT,
        status,
        error: wordsOf(text) || `The provider answered with ${status}.`,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
      answer(new Response(text, shown));
    } else await this.#pass(response, shown, outputBound, answer);
  }

  /** The provider's answer; null where there is none, which is then told. */
  async #send(limit: Limit, outputBound: number, answer: Answer): Promise<Response | null> {
    const { sender } = this.#deps;
    const upstream = this.#upstream;
    const outgoing = outgoingOf(this.#incoming, upstream, this.#bytes(limit));
    try {
      const sent = sender.send(outgoing, this.#waiting.signal);
      this.#confirm(outputBound);
      return await sent;
    } catch {
      if (!(await this.#holds(outputBound, answer))) return null;
      const late = this.#waiting.signal.aborted;
      const arrived = late || (await sender.reached(upstream));
      const error = late
        ? `${upstream.provider} did not answer in time.`
        : arrived
          ? `${upstream.provider} ended the connection without an answer.`
          : `${upstream.provider} cannot be reached.`;
      const tokens = arrived ? null : NO_TOKENS;
      const outcome = late && this.#leftAt !== null ? 'cancelled' : 'failed';
      await this.#settle({ outcome, status: null, tokens, error });
      answer(providerError(this.#ask.format, late ? 'timeout' : 'unreachable', error));
      return null;
    }
  }

  async #pass(
    { body, headers }: Response,
    shown: ResponseInit & { status: number },
    outputBound: number,
    answer: Answer,
  ): Promise<void> {
    const { format } = this.#ask;
    const streams = isStream(headers);
    const { status } = shown;
    if (!body) {
      await this.#settle({ outcome: 'completed', status, tokens: null });
      answer(new Response(null, shown));
      return;
    }
    const { meter, passage } = this.#prepare(streams);
    this.#passage = passage;
    if (this.#leftAt !== null) passage.leave(this.#leftAt);
    answer(new Response(passage.readable, shown));
    const passed = await passage.run(body);
    const reading = withoutSecrets(meter.reading(), this.#secrets);
    const end = { ...endedBy(reading, passed), ...countedBy(reading, outputBound) };
    // An agent that has read its answer to the end can count on what is left of its budget.
    await this.#settle({ status, ...end });
    // workerd ends its side of a broken stream as if it were whole, so the agent is told in words.
    const broken = streams && end.outcome === 'cut' && passed !== 'whole';
    await passage.close(broken ? errorEvent(format, end.error ?? '') : null);
  }

  #bytes({ limit, limitKey }: Limit): Uint8Array {
    const { operation, body, bytes } = this.#incoming;
    const { model } = this.#upstream;
    const usage = operation.kind === 'generate';
    return body ? editBody(operation.format, body, { model, limit, limitKey, usage }) : bytes;
  }

  #settle(end: End): Promise<void> {
    const firstByteAt = this.#passage?.firstByteAt ?? null;
    return settle(this.#deps.ledger, this.#ask.call, {
      ...end,
      firstByteMs: firstByteAt === null ? null : Math.max(0, firstByteAt - this.#started),
      durationMs: Math.max(0, Date.now() - this.#started),
    });
  }

  #leave(): void {
    this.#leftAt ??= Date.now();
    this.#passage?.leave();
  }

  #tick(now: number): void {
    const { ledger, times } = this.#deps;
    if (this.#passage) this.#passage.tick(now);
    else if (now - this.#started >= times.firstByte) this.#waiting.abort();
    else if (this.#leftAt !== null && now - this.#leftAt >= times.grace) this.#waiting.abort();
    if (now - this.#renewed < times.renew) return;
    this.#renewed = now;
    // A renewal that fails is made up for by the next one.
    ledger.renew(this.#ask.call).catch(() => undefined);
  }
}
