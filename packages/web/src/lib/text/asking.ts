import type { Node } from '@filepath/protocol';

const agents = (count: number): string => (count === 1 ? '1 agent' : `${count} agents`);

/** What a stop ends. */
export function stopWords(working: number): string {
  return `${agents(working)} below it ${working === 1 ? 'works' : 'work'}. All of them are stopped with it. Conversations and files stay.`;
}

/** What a delete takes away, and what is left of it. */
export function deleteWords(below: readonly Node[]): string {
  const [what, homes] =
    below.length === 0
      ? ['The agent is stopped and deleted, with its conversation.', 'Its home is']
      : [
          `The agent and ${agents(below.length)} below it are stopped and deleted, with their conversations.`,
          `Their ${below.length + 1} homes are`,
        ];
  return `${what} ${homes} put aside on the runner's machine. Conversations cannot be brought back.`;
}
