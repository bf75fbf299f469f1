import { type Node, totalTokens, type UsageTotals } from '@filepath/protocol';
import { capitalized, count, money } from './format.ts';
import { reasonWords } from './reason.ts';

export type Fact = { readonly name: string; readonly value: string };

type Names = ReadonlyMap<string, Pick<Node, 'name'>>;

/** Files that are named of each. */
const FILES_NAMED = 5;

/** What a row of the tree has no room for. `nodes`: those whose names it may need. */
export function nodeFacts(node: Node, nodes: Names): Fact[] {
  const reason = node.blocked ?? reasonWords(node);
  const alone = node.usage.calls === node.subtree.calls;
  const facts: Fact[] = [
    { name: 'status', value: capitalized(node.status) + (reason === null ? '' : `, ${reason}`) },
    { name: 'agent', value: [node.agentType, node.model].filter(Boolean).join(' · ') },
    { name: alone ? 'used' : 'itself', value: used(node.usage) },
    ...(alone ? [] : [{ name: 'with all below', value: used(node.subtree) }]),
  ];
  if (node.budget.usd !== null) facts.push({ name: 'budget', value: money(node.budget.usd) });
  if (node.contextPct !== null) {
    facts.push({ name: 'context', value: `${Math.round(node.contextPct * 100)}%` });
  }
  if (node.conflict !== undefined) {
    const { target, files, handed } = node.conflict;
    const who = handed ? ', an agent has it as a task' : '';
    facts.push({ name: 'conflict', value: `with ${target}: ${filesNamed(files)}${who}` });
  }
  for (const { node: id, files } of node.overlaps ?? []) {
    const value = `with ${nodes.get(id)?.name ?? 'another agent'}: ${filesNamed(files)}`;
    facts.push({ name: 'overlap', value });
  }
  return facts;
}

function filesNamed(files: readonly string[]): string {
  const more = files.length - FILES_NAMED;
  return files.slice(0, FILES_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** What is the matter between this agent's work and that of others, in a word; null where nothing is. */
export function meetingOf({ conflict, overlaps }: Node): 'in conflict' | 'overlaps' | null {
  if (conflict !== undefined) return 'in conflict';
  return overlaps !== undefined && overlaps.length > 0 ? 'overlaps' : null;
}

/** The same as one sentence, for those who hear the row. */
export function nodeDescription(node: Node, nodes: Names): string {
  const [, ...facts] = nodeFacts(node, nodes);
  return facts.map(({ name, value }) => `${name} ${value}`).join(', ');
}

function used({ tokens, costUsd, unpriced }: UsageTotals): string {
  const cost = unpriced > 0 && costUsd === 0 ? 'price unknown' : money(costUsd);
  return `${count(totalTokens(tokens))} tok · ${cost}`;
}
