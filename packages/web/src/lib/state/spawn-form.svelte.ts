import { type Node, NodeCreate } from '@filepath/protocol';
import { client, problemOf } from '../api.ts';
import { parseEnv } from '../text/env.ts';
import { randomName } from '../text/names.ts';
import { recall, remember } from './remembered.ts';

const LAST_COMMAND = 'command';

/** What the spawn dialog asks for. A command is a line of shell, run in the agent's sandbox. */
export class SpawnForm {
  name = $state(randomName());
  command = $state(recall(LAST_COMMAND) ?? '');
  env = $state('');
  problem = $state<string | null>(null);
  busy = $state(false);

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
    if (this.command.trim() === '') return this.#refuse('The agent needs a command to run.');
    const body = NodeCreate.safeParse({
      parentId,
      name: this.name.trim() === '' ? undefined : this.name,
      agentType: 'custom',
      config: {
        command: ['sh', '-c', this.command],
        ...(Object.keys(env.vars).length === 0 ? {} : { envVars: env.vars }),
      },
    });
    if (!body.success)
      return this.#refuse(body.error.issues.map((issue) => issue.message).join('; '));
    this.busy = true;
    try {
      const node = await client.node.create(sessionId, body.data);
      remember(LAST_COMMAND, this.command);
      spawned(node);
    } catch (error) {
      this.problem = await problemOf(error);
    } finally {
      this.busy = false;
    }
  }

  #refuse(reason: string): void {
    this.problem = reason;
  }
}
