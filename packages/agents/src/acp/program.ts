import { randomUUID } from 'node:crypto';
import type { ClientConnection } from '@agentclientprotocol/sdk';
import { Child, exitReason } from '../driver/child.ts';
import type { Program, Surroundings, TurnEnd } from '../driver/program.ts';
import { HANDOFF_REQUEST } from '../driver/words.ts';
import type { Dialect } from './dialects.ts';
import { endOfAnswer, endOfError } from './endings.ts';
import { connectTo } from './link.ts';
import { CANCELLED, decide } from './permissions.ts';
import { Said } from './said.ts';
import { type AcpSession, openSession } from './session.ts';
import { applySettings } from './settings.ts';
import { type Steering, steeringExtension, textBlocks } from './steering.ts';
import { ToolCalls } from './tool-calls.ts';
import { type PermissionAnswer, type PermissionRequest, PromptAnswer } from './wire.ts';

/** A context this full takes no other turn. */
const NEARLY_FULL = 0.9;

export type Start = {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly dialect: Dialect;
};

/** A program that speaks the Agent Client Protocol, with its session. */
export class AcpProgram implements Program {
  #around: Surroundings;
  #dialect: Dialect;
  #child: Child;
  #connection: ClientConnection;
  #calls: ToolCalls;
  #said: Said;
  #session: AcpSession | null = null;
  #extension: Steering | null = null;
  /** The prompts of the turn. Those beside the first joined it. */
  #prompts = new Set<Promise<PromptAnswer>>();

  constructor(start: Start, around: Surroundings) {
    const { voice, cwd, heard } = around;
    this.#around = around;
    this.#dialect = start.dialect;
    this.#calls = new ToolCalls(voice, cwd);
    this.#said = new Said(voice, this.#calls, {
      prefix: randomUUID(),
      namesMessages: start.dialect.namesMessages,
      asking: () => around.decisions.waiting,
      // Its work is to be handed over rather than gone on with from a summary that nobody has read.
      onCompacted: () => void this.interrupt(),
    });
    this.#child = new Child(start.command, { env: start.env, cwd, signal: around.signal });
    this.#connection = connectTo(this.#child, {
      heard,
      // While a session is opened a program may tell again what was said in it long ago.
      update: (sessionId, update) => {
        if (sessionId === this.#session?.id) this.#said.update(update);
      },
      permission: (request) => this.#permission(request),
      noise: (head) => voice.log('debug', `it printed: ${head}`),
    });
  }

  async open(): Promise<void> {
    try {
      const { agent } = this.#connection;
      const session = await openSession(agent, this.#around, this.#dialect.loads);
      await applySettings(agent, session, this.#around);
      this.#extension = steeringExtension(agent, session);
      this.#session = session;
    } catch (error) {
      throw await this.#reasonOf(error);
    }
  }

  async turn(text: string): Promise<TurnEnd> {
    this.#calls.interrupted = false;
    const end = await this.#run(this.#withSystemPrompt(text));
    if (end.how !== 'done' || this.#said.contextPct < NEARLY_FULL) return end;
    this.#around.voice.log('info', 'the context is nearly full: it is asked to hand over');
    const last = await this.#run(HANDOFF_REQUEST);
    const summary = last.how === 'done' ? this.#around.journal.lastText : '';
    return { how: 'handoff', ...(summary === '' ? {} : { summary }) };
  }

  async steer(text: string): Promise<boolean> {
    if (this.#prompts.size === 0 || this.#calls.interrupted) return false;
    if (this.#dialect.joinsPrompts) {
      this.#prompt(text);
      return true;
    }
    const taken = (await this.#extension?.(text).catch(() => false)) ?? false;
    if (!taken) {
      const { name } = this.#around.context.entry;
      this.#around.voice.log(
        'info',
        `${name} takes no message while it works: this one comes next`,
      );
    }
    return taken;
  }

  async interrupt(): Promise<void> {
    if (this.#prompts.size === 0 || !this.#session) return;
    this.#calls.interrupted = true;
    await this.#connection.agent.notify('session/cancel', { sessionId: this.#session.id });
  }

  gone(): boolean {
    return this.#child.gone;
  }

  async close(): Promise<void> {
    await this.#child.end();
    this.#connection.close();
  }

  /** Until every prompt of the turn has its answer. */
  async #run(text: string): Promise<TurnEnd> {
    this.#said.beginTurn();
    this.#prompt(text);
    let answer: PromptAnswer | null = null;
    try {
      for (let [next] = this.#prompts; next; [next] = this.#prompts) {
        answer = await next.finally(() => this.#prompts.delete(next));
      }
    } catch (error) {
      const rest = [...this.#prompts];
      this.#prompts.clear();
      await Promise.allSettled(rest);
      this.#said.endTurn();
      if (this.#connection.signal.aborted) throw await this.#reasonOf(error);
      return endOfError(error);
    }
    const shown = this.#said.endTurn();
    this.#said.used(answer?.usage, this.#around.context.env['FILEPATH_MODEL']);
    return endOfAnswer(answer?.stopReason ?? '', shown);
  }

  #prompt(text: string): void {
    const sessionId = this.#session?.id ?? '';
    const answered = this.#connection.agent
      .request('session/prompt', { sessionId, prompt: textBlocks(text) })
      .then((answer) => PromptAnswer.parse(answer));
    answered.catch(() => undefined);
    this.#prompts.add(answered);
  }

  /** The protocol has no place for it, so a new session begins with it. */
  #withSystemPrompt(text: string): string {
    const { FILEPATH_SYSTEM_PROMPT: system = '' } = this.#around.context.env;
    if (system === '' || this.#session?.isNew !== true) return text;
    this.#session = { ...this.#session, isNew: false };
    return `${system}\n\n---\n\n${text}`;
  }

  async #permission(request: PermissionRequest): Promise<PermissionAnswer> {
    this.#said.call(request.toolCall);
    const answer = await decide(request, this.#calls.known(request.toolCall), this.#around);
    return this.#calls.interrupted ? CANCELLED : answer;
  }

  /** A program that is gone says why by its exit. */
  async #reasonOf(error: unknown): Promise<Error> {
    const { name } = this.#around.context.entry;
    if (this.#connection.signal.aborted) {
      await this.#child.end();
      return new Error(exitReason(name, await this.#child.exited, this.#child.stderr));
    }
    await this.#child.end();
    return new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
