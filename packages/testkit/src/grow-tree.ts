import { Node, type Session } from '@filepath/protocol';
import { z } from 'zod';
import type { Api } from './api.ts';

/** An agent that prints these lines once it is spoken to, then stays until it is stopped. Without lines nobody speaks to it. */
export type Planted = {
  readonly name: string;
  readonly says?: readonly object[];
  readonly children?: readonly Planted[];
};

export type Grown = {
  readonly session: Session;
  /** The id of the agent with this name. */
  idOf(name: string): string;
};

/** A session with a tree of agents, in the order that is given. */
export async function growTree(api: Api, root: Planted, name = 'grown'): Promise<Grown> {
  const ids = new Map<string, string>();
  const { session, node } = await api.agent(commandOf(root), { name: root.name });
  await api.call('PATCH', `/api/session/${session.id}`, { name });
  const speak = async (planted: Planted, id: string): Promise<void> => {
    ids.set(planted.name, id);
    if (planted.says) await api.message(id, 'go');
    const below: (() => Promise<void>)[] = [];
    for (const child of planted.children ?? []) {
      const body = {
        parentId: id,
        name: child.name,
        agentType: 'custom',
        config: { command: commandOf(child) },
      };
      const path = `/api/session/${session.id}/node`;
      const made = await api.json(z.object({ node: Node }), 'POST', path, body);
      below.push(() => speak(child, made.node.id));
    }
    await Promise.all(below.map((grow) => grow()));
  };
  await speak(root, node.id);
  return {
    session,
    idOf: (wanted) => {
      const id = ids.get(wanted);
      if (id === undefined) throw new Error(`no agent of this tree is named ${wanted}`);
      return id;
    },
  };
}

function commandOf({ says = [] }: Planted): string[] {
  const lines = says.map((line) => JSON.stringify(line));
  const script =
    'read -r _; for line; do printf "%s\\n" "$line"; done; while read -r line; do case $line in *\'"stop"\'*) exit 0 ;; esac; done';
  return ['sh', '-c', script, 'planted', ...lines];
}
