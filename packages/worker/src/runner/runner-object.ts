import { DurableObject } from 'cloudflare:workers';
import {
  type AgentEntry,
  type CatalogReport,
  type ControlToRunner,
  ControlToWorker,
  type Executor,
  FilepathError,
  LINK_VERSION,
  type Order,
  type Question,
} from '@filepath/protocol';
import type { Env } from '../env.ts';
import { log } from '../http/log.ts';
import type { Result } from '../result.ts';
import { acceptSocket, answerClose, attachmentOf, textOf } from '../sockets.ts';
import { durableSql } from '../storage/durable-sql.ts';
import { isFresh, migrate } from '../storage/schema.ts';
import type { Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import { Asks, gone } from './asks.ts';
import { Orders } from './orders.ts';
import { RUNNER_MIGRATIONS } from './schema.ts';

export type RunnerStatus = {
  connected: boolean;
  /** When it last came. */
  since: string | null;
  /** When it was last there. */
  seenAt: string | null;
  executors: Executor[];
};

/** One runner: its control socket, and the orders it has not taken yet. */
export class RunnerObject extends DurableObject<Env> {
  #sql: Sql;
  #orders: Orders;
  #asks = new Asks();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    this.#orders = new Orders(this.#sql, Date.now);
    if (!isFresh(this.#sql)) migrate(this.#sql, RUNNER_MIGRATIONS);
  }

  order(key: string, order: Order): void {
    migrate(this.#sql, RUNNER_MIGRATIONS);
    const frame = this.#orders.add(key, order);
    if (!frame) return;
    for (const ws of this.#greeted()) send(ws, frame);
  }

  /** Asks the runner that is connected, and gives its answer as JSON. Refused at once where none is, and after a while where it says nothing. */
  async ask(question: Question): Promise<Result<string>> {
    const [ws] = isFresh(this.#sql) ? [] : this.#greeted();
    try {
      if (!ws) throw gone('no runner is connected: ask again when one is back');
      const answer = await this.#asks.ask(question, (ask) => send(ws, { t: 'ask', ask, question }));
      return { ok: true, value: JSON.stringify(answer) };
    } catch (error) {
      if (error instanceof FilepathError) return { ok: false, error: error.toBody().error };
      throw error;
    }
  }

  status(): RunnerStatus {
    if (isFresh(this.#sql)) return { connected: false, since: null, seenAt: null, executors: [] };
    const connected = this.#greeted().length > 0;
    const since = readValue<string>(this.#sql, 'since');
    return {
      connected,
      since,
      seenAt: connected ? now() : (readValue<string>(this.#sql, 'seenAt') ?? since),
      executors: readValue<Executor[]>(this.#sql, 'executors') ?? [],
    };
  }

  /** Agents of the operator's own, as the runner last told them. */
  ownAgents(): AgentEntry[] {
    return this.catalog()?.own ?? [];
  }

  /** Null: no runner has told. */
  catalog(): CatalogReport | null {
    return isFresh(this.#sql) ? null : readValue<CatalogReport>(this.#sql, 'catalog');
  }

  override async fetch(request: Request): Promise<Response> {
    migrate(this.#sql, RUNNER_MIGRATIONS);
    const runner = request.headers.get('x-filepath-runner') ?? '';
    return acceptSocket(this.ctx, { kind: 'link', runner, epoch: 0 }).response;
  }

  override async webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const frame = parseFrame(textOf(message));
    const attachment = attachmentOf(ws);
    if (!frame || attachment?.kind !== 'link') {
      ws.close(1008, 'frame not understood');
      return;
    }
    if (frame.t === 'here') {
      if (this.#greeted().includes(ws)) send(ws, { t: 'here' });
      else ws.close(4000, 'say hello first');
      return;
    }
    if (frame.t === 'taken') {
      this.#orders.taken(frame.order);
      return;
    }
    if (frame.t === 'catalog') {
      writeValue(this.#sql, 'catalog', frame.catalog);
      return;
    }
    if (frame.t === 'done') {
      const { thread, result } = frame;
      try {
        await this.env.THREAD.getByName(thread).jobDone(attachment.runner, result);
        send(ws, { t: 'stored', job: result.job });
      } catch {
        log('error', 'result not stored', { thread, job: result.job });
      }
      return;
    }
    if (frame.t === 'answer') {
      this.#asks.answered(frame.ask, frame.answer);
      return;
    }
    if (frame.t === 'touched') {
      await this.env.THREAD.getByName(frame.thread)
        .touched(attachment.runner, frame.touched)
        .catch(() => log('error', 'report not stored', { thread: frame.thread }));
      return;
    }
    if (frame.runner !== attachment.runner) {
      ws.close(1008, 'this token belongs to another runner');
      return;
    }
    for (const old of this.#greeted()) {
      if (old !== ws) old.close(4000, 'replaced by a newer connection');
    }
    ws.serializeAttachment({ ...attachment, epoch: 1 });
    writeValue(this.#sql, 'executors', frame.executors);
    writeValue(this.#sql, 'since', now());
    if (frame.catalog) writeValue(this.#sql, 'catalog', frame.catalog);
    send(ws, { t: 'welcome', v: LINK_VERSION });
    for (const order of this.#orders.open()) send(ws, order);
  }

  override webSocketClose(ws: WebSocket, code: number): void {
    const attachment = attachmentOf(ws);
    if (attachment?.kind === 'link' && attachment.epoch > 0) writeValue(this.#sql, 'seenAt', now());
    answerClose(ws, code);
    this.#asks.lost();
  }

  /** Sockets that have said hello. */
  #greeted(): WebSocket[] {
    return this.ctx.getWebSockets('link').filter((ws) => {
      const attachment = attachmentOf(ws);
      return (
        attachment?.kind === 'link' && attachment.epoch > 0 && ws.readyState === WebSocket.OPEN
      );
    });
  }
}

const now = (): string => new Date().toISOString();

function send(ws: WebSocket, frame: ControlToRunner): void {
  try {
    ws.send(JSON.stringify(frame));
  } catch {
    // Closed meanwhile: the order goes out when the runner is back.
  }
}

function parseFrame(text: string): ControlToWorker | null {
  try {
    return ControlToWorker.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
