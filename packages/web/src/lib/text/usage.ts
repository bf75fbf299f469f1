import { type Block, type Node, totalTokens } from '@filepath/protocol';
import { count, money } from './format.ts';

/** What an agent used, with those below it where it has a budget: short enough for the head of its panel. */
export function usedWords({ tokens, usage, subtree, budget }: Node): string[] {
  const limited = budget.usd !== null || budget.tokens !== null;
  if (!limited && subtree.calls === 0) return [];
  const cost = budget.usd === null ? usage.costUsd : subtree.costUsd;
  const all = budget.tokens === null ? tokens : totalTokens(subtree.tokens);
  return [
    `${count(all)}${budget.tokens === null ? '' : ` of ${count(budget.tokens)}`} tok`,
    ...(cost > 0 || budget.usd !== null
      ? [`${money(cost)}${budget.usd === null ? '' : ` of ${money(budget.usd)}`}`]
      : []),
  ];
}

/** The calls of a run in one line. */
export function callsWords(block: Extract<Block, { kind: 'calls' }>): string {
  const { calls, models, tokens, costUsd, estimated } = block;
  const cached = tokens.cacheRead + tokens.cacheWrite;
  return [
    calls === 1 ? '' : `${calls} calls`,
    models.join(', '),
    `${count(tokens.input + cached)} in`,
    `${count(tokens.output)} out`,
    costUsd === null ? 'price unknown' : costUsd === 0 ? '' : money(costUsd),
    estimated ? 'estimated' : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
