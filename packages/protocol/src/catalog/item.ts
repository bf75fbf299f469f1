import { z } from 'zod';
import { AgentInstall, AgentTypeName } from './entry.ts';

/** Where the program of an agent is: in filepath, among its tools, in the system, nowhere yet, or the user brings it. */
export const ProgramPlace = z.enum(['built-in', 'tools', 'system', 'missing', 'user']);
export type ProgramPlace = z.infer<typeof ProgramPlace>;

/** A kind of agent as it is offered. */
export const CatalogItem = z.object({
  type: AgentTypeName,
  name: z.string(),
  description: z.string(),
  icon: z.string(),
  /** The model where none is named. */
  defaultModel: z.string(),
  driver: z.enum(['custom', 'native', 'claude', 'codex', 'acp']),
  /** Its model traffic is counted, and held by budgets. */
  metered: z.boolean(),
  /** It is the operator's own. */
  own: z.boolean(),
  program: ProgramPlace,
  /** How a missing program comes to be there. */
  install: AgentInstall.nullable(),
});
export type CatalogItem = z.infer<typeof CatalogItem>;
