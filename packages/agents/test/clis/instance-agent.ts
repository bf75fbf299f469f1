import { setTimeout as wait } from 'node:timers/promises';
import { type AgentConfig, AgentEvent, type LogEvent, Node, Session } from '@filepath/protocol';
import { agentPids, Api, follow, type Follower, type Instance } from '@filepath/testkit';
import { z } from 'zod';
import type { PlayedAgent } from './scenarios.ts';

const PATIENCE_MS = 150_000;

export type Wish = {
  readonly agentType: string;
  readonly model: string;
  readonly repository: string;
  readonly config?: AgentConfig;
  /** How long it is waited for each event. */
  readonly patienceMs?: number;
};

/** An agent of a running instance: in its sandbox, with its thread. */
export class InstanceAgent implements PlayedAgent {
  readonly thread: string;
  readonly slug: string;
  #session: string;
  #api: Api;
  #follower: Follower;
  #patienceMs: number;
  /** How much of the log was waited for. */
  #seen = 0;

  static async create(instance: Instance, wish: Wish): Promise<InstanceAgent> {
    const { agentType, model, repository, config = {} } = wish;
    const { node } = await new Api(instance).json(
      z.object({ session: Session, node: Node }),
      'POST',
      '/api/session',
      { gitRepoUrl: repository, root: { agentType, model, config } },
    );
    return new InstanceAgent(instance, node, wish.patienceMs ?? PATIENCE_MS);
  }

  private constructor(instance: Instance, node: Node, patienceMs: number) {
    this.#patienceMs = patienceMs;
    this.thread = node.id;
    this.slug = node.slug;
    this.#session = node.sessionId;
    this.#api = new Api(instance);
    this.#follower = follow(instance, this.thread);
  }

  get log(): readonly LogEvent[] {
    return this.#follower.events;
  }

  readonly events = (): readonly AgentEvent[] =>
    this.log.flatMap((event) => (event.source === 'fap' ? [AgentEvent.parse(event.body)] : []));

  /** At once, also to one that cannot be steered: what its driver does then is what is looked at. */
  readonly say = async (content: string): Promise<void> => {
    const path = `/api/thread/${this.thread}/message`;
    await this.#api.json(z.unknown(), 'POST', path, { content, deliver: 'now' });
  };
  readonly stop = (): Promise<void> => this.#signal('stop');
  readonly handOff = (): Promise<void> => this.#signal('handoff');
  readonly decide = async (id: string, choice: string): Promise<void> => {
    const path = `/api/thread/${this.thread}/decision/${id}`;
    await this.#api.json(z.unknown(), 'POST', path, { choice });
  };

  readonly until = async (
    fits: (event: AgentEvent) => boolean,
    what: string,
  ): Promise<AgentEvent> => {
    const found = await this.untilLogged(
      (event) => event.source === 'fap' && fits(AgentEvent.parse(event.body)),
      what,
    );
    return AgentEvent.parse(found.body);
  };

  /** The next event of the whole log that fits. */
  async untilLogged(fits: (event: LogEvent) => boolean, what: string): Promise<LogEvent> {
    const fitting = (event: LogEvent): boolean =>
      event.seq > this.#seen && (fits(event) || isFailure(event));
    const late = AbortSignal.timeout(this.#patienceMs);
    const event = await Promise.race([
      this.#follower.until(fitting),
      new Promise<never>((_resolve, reject) => {
        late.addEventListener('abort', () =>
          reject(new Error(`${what} did not come:\n${this.#told()}`)),
        );
      }),
    ]);
    this.#seen = event.seq;
    if (!fits(event)) throw new Error(`${what} did not come, but a failure:\n${this.#told()}`);
    return event;
  }

  readonly kill = async (): Promise<void> => {
    for (const pid of agentPids(this.thread)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It went with another.
      }
    }
    await this.ended();
  };

  readonly ended = async (): Promise<void> => {
    await this.untilLogged(isExit, 'the end of the process');
    while (agentPids(this.thread).length > 0) await wait(20);
  };

  close(): void {
    this.#follower.close();
  }

  /** One that has handed off would go on, and ask the model of whoever comes next. */
  async leave(): Promise<void> {
    this.close();
    await this.#api.call('DELETE', `/api/session/${this.#session}`);
    while (agentPids(this.thread).length > 0) await wait(20);
  }

  async #signal(action: 'stop' | 'handoff'): Promise<void> {
    await this.#api.json(z.unknown(), 'POST', `/api/thread/${this.thread}/signal`, { action });
  }

  #told(): string {
    return this.log.map(({ source, body }) => `${source} ${JSON.stringify(body)}`).join('\n');
  }
}

const isExit = ({ source, body }: LogEvent): boolean =>
  source === 'runner' &&
  typeof body === 'object' &&
  body !== null &&
  Reflect.get(body, 'type') === 'exit';

/** Nothing comes after it, until somebody speaks to the agent. */
function isFailure({ source, body }: LogEvent): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { type, state } = body as { type?: unknown; state?: unknown };
  return source === 'fap' ? type === 'status' && state === 'error' : type === 'refused';
}
