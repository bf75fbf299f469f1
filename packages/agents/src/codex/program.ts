import { z } from 'zod';
import type { Child } from '../driver/child.ts';
import type { Program, Surroundings, TurnEnd } from '../driver/program.ts';
import { answer } from './approvals.ts';
import { endOf, retrying } from './ends.ts';
import { type Item, NOTIFICATIONS, type Notifications } from './notifications.ts';
import { Rpc } from './rpc.ts';
import { threadSettings } from './settings.ts';
import { Translator } from './translate.ts';

const ThreadAnswer = z.looseObject({
  thread: z.looseObject({ id: z.string() }),
  model: z.string().optional(),
});
const TurnAnswer = z.looseObject({ turn: z.looseObject({ id: z.string() }) });

type Turn = {
  readonly resolve: (end: TurnEnd) => void;
  readonly reject: (error: Error) => void;
  id: string | null;
  interrupted: boolean;
  compacted: boolean;
};

/** codex app-server with one thread. */
export class CodexProgram implements Program {
  #child: Child;
  #with: Surroundings;
  #rpc: Rpc;
  #thread = '';
  #translator: Translator | null = null;
  #turn: Turn | null = null;
  /** Items that have started and not ended: a question about one names it by its id. */
  #items = new Map<string, Item>();
  #warned = new Set<string>();
  #limits: Notifications['account/rateLimits/updated'] | undefined;

  constructor(child: Child, surroundings: Surroundings) {
    const { voice, context, heard } = surroundings;
    this.#child = child;
    this.#with = surroundings;
    this.#rpc = new Rpc(child, context.entry.name, {
      heard,
      other: (head) => voice.log('debug', `${context.entry.name}: ${head}`),
      notified: (method, params) => this.#notified(method, params),
      asked: (method, params) => this.#asked(method, params),
      ended: (reason) => this.#end((turn) => turn.reject(reason)),
    });
  }

  /** Shakes hands, and takes up the agent's thread, or begins one. */
  async open(): Promise<void> {
    const clientInfo = { name: 'filepath', title: 'filepath', version: '1' };
    await this.#rpc.request('initialize', { clientInfo, capabilities: null });
    this.#rpc.notify('initialized');
    const { kept } = this.#with;
    const opened = (await this.#resumed(kept.session)) ?? (await this.#begun());
    this.#thread = opened.thread.id;
    kept.session = this.#thread;
    this.#translator = new Translator(this.#with, this.#thread, opened.model ?? '');
  }

  readonly gone = (): boolean => this.#child.gone;
  readonly close = (): Promise<void> => this.#child.end();

  readonly turn = (text: string): Promise<TurnEnd> =>
    new Promise((resolve, reject) => {
      const turn: Turn = { resolve, reject, id: null, interrupted: false, compacted: false };
      this.#turn = turn;
      this.#rpc.request('turn/start', { threadId: this.#thread, input: inputOf(text) }).then(
        (answered) => this.#entered(turn, TurnAnswer.safeParse(answered).data?.turn.id),
        (error: Error) => this.#end((open) => open.reject(error)),
      );
    });

  readonly steer = async (text: string): Promise<boolean> => {
    const turn = this.#turn;
    if (!turn?.id || turn.interrupted) return false;
    try {
      await this.#rpc.request('turn/steer', {
        threadId: this.#thread,
        expectedTurnId: turn.id,
        input: inputOf(text),
      });
      return true;
    } catch {
      // The turn has ended meanwhile, or is of a kind that takes nothing more.
      return false;
    }
  };

  readonly interrupt = async (): Promise<void> => {
    const turn = this.#turn;
    if (!turn || turn.interrupted) return;
    turn.interrupted = true;
    if (turn.id !== null) await this.#interrupt(turn.id);
  };

  async #resumed(session: string | undefined) {
    if (session === undefined) return null;
    try {
      const params = { ...threadSettings(this.#with), threadId: session, excludeTurns: true };
      return ThreadAnswer.parse(await this.#rpc.request('thread/resume', params));
    } catch (error) {
      if (this.#child.gone) throw error;
      this.#with.voice.log('warn', 'its last session could not be resumed: a new one begins');
      return null;
    }
  }

  async #begun() {
    return ThreadAnswer.parse(await this.#rpc.request('thread/start', threadSettings(this.#with)));
  }

  async #interrupt(turnId: string): Promise<void> {
    try {
      await this.#rpc.request('turn/interrupt', { threadId: this.#thread, turnId });
    } catch {
      // It has ended meanwhile; its completion says so.
    }
  }

  #entered(turn: Turn, id: string | undefined): void {
    if (this.#turn !== turn || id === undefined || turn.id === id) return;
    turn.id = id;
    if (turn.interrupted) void this.#interrupt(id);
  }

  async #asked(method: string, params: unknown): Promise<unknown> {
    const given = await answer(method, params, (id) => this.#items.get(id), this.#with);
    if (this.#turn) this.#with.voice.working();
    return given;
  }

  #notified(method: string, params: unknown): void {
    if (!Object.hasOwn(NOTIFICATIONS, method)) return;
    const name = method as keyof Notifications;
    const parsed = NOTIFICATIONS[name].safeParse(params);
    if (parsed.success) HANDLERS[name]?.(this, parsed.data as never);
  }

  onTurnStarted({ threadId, turn }: Notifications['turn/started']): void {
    if (threadId === this.#thread && this.#turn) this.#entered(this.#turn, turn.id);
  }

  onTurnCompleted(params: Notifications['turn/completed']): void {
    if (params.threadId !== this.#thread) return;
    this.#translator?.settle();
    this.#items.clear();
    this.#end((turn) =>
      turn.resolve(turn.compacted ? { how: 'handoff' } : endOf(params, this.#limits)),
    );
  }

  onLimits(limits: Notifications['account/rateLimits/updated']): void {
    this.#limits = limits;
  }

  onItem(at: 'started' | 'completed', { threadId, item }: Notifications['item/started']): void {
    if (!this.#turn) return;
    if (at === 'started') this.#items.set(item.id, item);
    else this.#items.delete(item.id);
    this.#translator?.[at](threadId, item);
    if (at === 'completed' && item.type === 'contextCompaction' && threadId === this.#thread) {
      // Its work is to be handed over rather than gone on with from a summary that nobody has read.
      this.#turn.compacted = true;
      void this.interrupt();
    }
  }

  onTranslated(translate: (translator: Translator) => void): void {
    if (this.#turn && this.#translator) translate(this.#translator);
  }

  onTokens(params: Notifications['thread/tokenUsage/updated']): void {
    // A thread that is taken up tells of the turn before.
    if (params.turnId !== undefined && params.turnId !== this.#turn?.id) return;
    this.onTranslated((translator) => translator.tokens(params));
  }

  onError({ threadId, error, willRetry }: Notifications['error']): void {
    if (threadId !== this.#thread || !willRetry) return;
    this.#with.voice.working(retrying(error));
  }

  onWarning(message: string): void {
    // It warns of the same in every turn.
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#with.voice.log('warn', message);
  }

  #end(settle: (turn: Turn) => void): void {
    const turn = this.#turn;
    this.#turn = null;
    if (turn) settle(turn);
  }
}

const HANDLERS: {
  [Name in keyof Notifications]: (program: CodexProgram, params: Notifications[Name]) => void;
} = {
  'turn/started': (program, params) => program.onTurnStarted(params),
  'turn/completed': (program, params) => program.onTurnCompleted(params),
  'item/started': (program, params) => program.onItem('started', params),
  'item/completed': (program, params) => program.onItem('completed', params),
  'item/agentMessage/delta': (program, params) => program.onTranslated((t) => t.delta(params)),
  'turn/plan/updated': (program, params) => program.onTranslated((t) => t.plan(params)),
  'thread/tokenUsage/updated': (program, params) => program.onTokens(params),
  'account/rateLimits/updated': (program, params) => program.onLimits(params),
  error: (program, params) => program.onError(params),
  warning: (program, params) => program.onWarning(params.message),
};

function inputOf(text: string) {
  return [{ type: 'text', text, text_elements: [] }];
}
