import { z } from 'zod';
import { Budget, UsageTotals } from './usage.ts';

/** A budget, what was used of it, and what calls under way have reserved. */
export const BudgetState = z.object({
  budget: Budget,
  usage: UsageTotals,
  reserved: z.object({ tokens: z.int().min(0), usd: z.number().min(0) }),
});
export type BudgetState = z.infer<typeof BudgetState>;

/** `budget` is for the node and everything below it, `own` for the node alone. */
export const NodeBudgetState = BudgetState.extend({ own: BudgetState });
export type NodeBudgetState = z.infer<typeof NodeBudgetState>;

export const BudgetPut = z.strictObject({ budget: Budget });
export type BudgetPut = z.infer<typeof BudgetPut>;

/** What a session, and an agent that a person spawns, have where none is named for them. */
export const BudgetDefaults = z.strictObject({ session: Budget, agent: Budget });
export type BudgetDefaults = z.infer<typeof BudgetDefaults>;

/** What is not given stays as it is. */
export const NodeBudgetPut = z.strictObject({ budget: Budget.optional(), own: Budget.optional() });
export type NodeBudgetPut = z.infer<typeof NodeBudgetPut>;
