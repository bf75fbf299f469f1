import { issuesOf, type Node, NodeCreate, OFFLINE_MODEL } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { issuesOfError, type Problems, problemsOf } from '../text/field-problems.ts';
import { hasModel } from '../text/models.ts';
import { randomName } from '../text/names.ts';
import { AgentChoices } from './agent-choices.svelte.ts';
import { Models } from './models.svelte.ts';
import { recall, remember } from './remembered.ts';
import { MORE_FIELDS, SpawnMore } from './spawn-more.svelte.ts';

const LAST_COMMAND = 'command';
const LAST_AGENT = 'agent';
const LAST_MODEL = 'model';
const FIELDS = {
  ...MORE_FIELDS,
  name: 'name',
  agentType: 'agent',
  model: 'model',
  'config.command': 'command',
};

/** What the spawn dialog asks for. A command is a line of shell, run in the agent's sandbox. */
export class SpawnForm {
  readonly agents = new AgentChoices();
  readonly models = new Models();
  readonly more = new SpawnMore();
  name = $state(randomName());
  command = $state(recall(LAST_COMMAND) ?? '');
  problems = $state.raw<Problems>({});
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
  /** Something behind the fold is wrong. */
  wrongInMore = $derived(Object.values(MORE_FIELDS).some((field) => field in this.problems));

  get type(): string {
    return this.agent?.type ?? '';
  }
  set type(type: string) {
    this.#type = type;
  }

  get model(): string {
    return this.#chosen[this.type] ?? this.#remembered() ?? this.agent?.defaultModel ?? '';
  }
  set model(model: string) {
    this.#chosen[this.type] = model;
  }

  /** Only the built-in script answers. */
  offline = $derived(this.models.list?.configured === false);

  load(): void {
    void this.agents.load();
    void this.models.load();
    // Without them the fields are empty, and the worker has the defaults.
    void client.budget.defaults().then(
      ({ agent }) => this.more.prefill(agent),
      () => undefined,
    );
  }

  reroll(): void {
    this.name = randomName();
  }

  async spawn(
    sessionId: string,
    parentId: string | null,
    spawned: (node: Node) => void,
  ): Promise<void> {
    const body = this.#read(parentId);
    if (body === null || this.busy) return;
    this.busy = true;
    try {
      const node = await client.node.create(sessionId, body);
      if (this.custom) remember(LAST_COMMAND, this.command);
      remember(LAST_AGENT, this.type);
      remember(`${LAST_MODEL}:${this.type}`, this.model.trim());
      spawned(node);
    } catch (error) {
      const issues = issuesOfError(error);
      const problem = issues === null ? await problemOf(error) : null;
      this.problems =
        issues === null ? (problem === null ? {} : { '': problem }) : problemsOf(issues, FIELDS);
    } finally {
      this.busy = false;
    }
  }

  /** Null: something is wrong, and is said beside its field. */
  #read(parentId: string | null): NodeCreate | null {
    const more = this.more.read();
    const command = this.command.trim();
    const missing = this.custom && command === '' && this.more.image.trim() === '';
    if (!more.ok || missing || this.type === '') {
      this.problems = {
        ...(more.ok ? {} : more.problems),
        ...(missing ? { command: 'The agent needs a command to run, or an image.' } : {}),
        ...(this.type === '' ? { agent: 'Choose an agent.' } : {}),
      };
      return null;
    }
    const model = this.model.trim();
    const body = NodeCreate.safeParse({
      ...more.part,
      parentId,
      name: this.name.trim() === '' ? undefined : this.name,
      agentType: this.type,
      ...(model === '' ? {} : { model }),
      config: {
        ...(this.custom && command !== '' ? { command: ['sh', '-c', this.command] } : {}),
        ...more.part.config,
      },
    });
    this.problems = body.success ? {} : problemsOf(issuesOf(body.error), FIELDS);
    return body.success ? body.data : null;
  }

  /** The last model of this agent; not one of the list that nobody answers for any more. */
  #remembered(): string | null {
    const last = recall(`${LAST_MODEL}:${this.type}`);
    if (last === null || last === '' || (last === OFFLINE_MODEL && !this.offline)) return null;
    return hasModel(this.groups, last)?.available === false ? null : last;
  }
}
