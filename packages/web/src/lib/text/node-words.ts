import { type Node, totalTokens, type UsageTotals } from '@filepath/protocol';
import { capitalized, count, money } from './format.ts';
import { reasonWords } from './reason.ts';

export type Fact = { readonly name: string; readonly value: string };

/** What a row of the tree has no room for. */
export function nodeFacts(node: Node): Fact[] {
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
  return facts;
}

/** The same as one sentence, for those who hear the row. */
export function nodeDescription(node: Node): string {
  const [, ...facts] = nodeFacts(node);
  return facts.map(({ name, value }) => `${name} ${value}`).join(', ');
}

function used({ tokens, costUsd, unpriced }: UsageTotals): string {
  const cost = unpriced > 0 && costUsd === 0 ? 'price unknown' : money(costUsd);
  return `${count(totalTokens(tokens))} tok · ${cost}`;
}
