import { type Node, NodeCreate, OFFLINE_MODEL } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { parseEnv } from '../text/env.ts';
import { hasModel } from '../text/models.ts';
import { randomName } from '../text/names.ts';
import { AgentChoices } from './agent-choices.svelte.ts';
import { Models } from './models.svelte.ts';
import { recall, remember } from './remembered.ts';

const LAST_COMMAND = 'command';
const LAST_AGENT = 'agent';
const LAST_MODEL = 'model';

/** What the spawn dialog asks for. A command is a line of shell, run in the agent's sandbox. */
export class SpawnForm {
  readonly agents = new AgentChoices();
  readonly models = new Models();
  name = $state(randomName());
  command = $state(recall(LAST_COMMAND) ?? '');
  env = $state('');
  problem = $state<string | null>(null);
  busy = $state(false);
  #type = $state(recall(LAST_AGENT) ?? '');
  /** What was chosen here, by agent. */
  #chosen = $state<Record<string, string>>({});

  groups = $derived(this.models.list?.groups ?? []);
  /** A type that is no longer offered is not remembered. */
  agent = $derived(
    this.agents.all.find(({ type }) => type === this.#type) ?? this.agents.all[0] ?? null,
  );

  /** It runs a command that the person gives. */
  custom = $derived(this.agent?.program === 'user');

  get type(): string {
    return this.agent?.type ?? '';
  }
  set type(type: string) {
    this.#type = type;
  }

  get model(): string {
    return this.#chosen[this.type] ?? this.#remembered() ?? this.#ownModel();
  }
  set model(model: string) {
    this.#chosen[this.type] = model;
  }

  /** Only the built-in script answers. */
  offline = $derived(this.models.list?.configured === false);

  load(): void {
    void this.agents.load();
    void this.models.load();
  }

  reroll(): void {
    this.name = randomName();
  }

  async spawn(
    sessionId: string,
    parentId: string | null,
    spawned: (node: Node) => void,
  ): Promise<void> {
    const env = parseEnv(this.env);
    if (!env.ok) return this.#refuse(env.reason);
    const { custom } = this;
    if (custom && this.command.trim() === '')
      return this.#refuse('The agent needs a command to run.');
    const model = this.model.trim();
    const body = NodeCreate.safeParse({
      parentId,
      name: this.name.trim() === '' ? undefined : this.name,
      agentType: this.type,
      ...(model === '' ? {} : { model }),
      config: {
        ...(custom ? { command: ['sh', '-c', this.command] } : {}),
        ...(Object.keys(env.vars).length === 0 ? {} : { envVars: env.vars }),
      },
    });
    if (!body.success)
      return this.#refuse(body.error.issues.map((issue) => issue.message).join('; '));
    this.busy = true;
    try {
      const node = await client.node.create(sessionId, body.data);
      if (custom) remember(LAST_COMMAND, this.command);
      remember(LAST_AGENT, this.type);
      remember(`${LAST_MODEL}:${this.type}`, model);
      spawned(node);
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }

  /** The last model of this agent; not one of the list that nobody answers for any more. */
  #remembered(): string | null {
    const last = recall(`${LAST_MODEL}:${this.type}`);
    if (last === null || last === '' || (last === OFFLINE_MODEL && !this.offline)) return null;
    return hasModel(this.groups, last)?.available === false ? null : last;
  }

  #ownModel(): string {
    return this.agent?.defaultModel ?? '';
  }

  #refuse(reason: string): void {
    this.problem = reason;
  }
}
