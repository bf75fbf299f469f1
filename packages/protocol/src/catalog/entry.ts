import { z } from 'zod';
import { parseAllowedHost } from '../api/network.ts';

/** The name of a kind of agent: what `agentType` holds. */
export const AgentTypeName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'expected a name like claude-code');

const command = z.array(z.string().min(1).max(4096)).min(1).max(64);

/** How filepath talks with the program. */
export const AgentDriver = z.discriminatedUnion('kind', [
  /** A program that speaks FAP itself. Without a command, the configuration of each agent names it. */
  z.strictObject({ kind: z.literal('custom'), command: command.optional() }),
  /** filepath's own loop. */
  z.strictObject({ kind: z.literal('native'), profile: z.enum(['shelley', 'pi']) }),
  /** Claude's stream-json. */
  z.strictObject({ kind: z.literal('claude'), command }),
  /** codex app-server. */
  z.strictObject({ kind: z.literal('codex'), command }),
  /** The Agent Client Protocol. */
  z.strictObject({ kind: z.literal('acp'), command }),
]);
export type AgentDriver = z.infer<typeof AgentDriver>;

/** How the program comes into an agent's home. */
export const AgentInstall = z.discriminatedUnion('from', [
  z.strictObject({
    from: z.literal('npm'),
    package: z.string().min(1).max(214),
    version: z.string().min(1).max(64),
    /** Its install scripts make the program: they are run, in a sandbox. */
    scripts: z.boolean().optional(),
  }),
  /** It cannot be installed by us: what a person does. */
  z.strictObject({ from: z.literal('person'), hint: z.string().min(1).max(1024) }),
]);
export type AgentInstall = z.infer<typeof AgentInstall>;

const filePath = z
  .string()
  .max(256)
  .regex(
    /^(?!\.\.?(?:\/|$))[^/\0]+(?:\/(?!\.\.?(?:\/|$))[^/\0]+)*$/,
    'expected a path below the home, like .config/tool.json',
  );

/** One kind of agent, as data. */
export const AgentEntry = z.strictObject({
  type: AgentTypeName,
  name: z.string().min(1).max(64),
  description: z.string().min(1).max(256),
  /** Of lucide. */
  icon: z.string().regex(/^[a-z0-9-]{1,40}$/),
  defaultModel: z.string().max(200),
  driver: AgentDriver,
  install: AgentInstall.optional(),
  /** Its model traffic passes the gateway. If not, it is refused under a money budget unless that is allowed. */
  metered: z.boolean(),
  /** Hosts that it needs beside the gateway, in the form of a network policy's `allow`. */
  hosts: z
    .array(
      z
        .string()
        .max(320)
        .refine((text) => parseAllowedHost(text) !== null, 'expected a domain like example.com'),
    )
    .max(16)
    .optional(),
  /** It takes a message into the turn that it works on. Unless given: not by ACP, by any other driver. */
  steers: z.boolean().optional(),
  /**
   * Variables of the program. `{baseUrl}`, `{apiKey}` and `{model}` stand for the gateway's address, the agent's key
   * and its model.
   */
  env: z.record(z.string().regex(/^[A-Z_][A-Z0-9_]*$/), z.string().max(4096)).optional(),
  /** Files that the program finds in its home, by their path in it; the same words stand for the same. */
  files: z.record(filePath, z.string().max(16384)).optional(),
});
export type AgentEntry = z.infer<typeof AgentEntry>;

/** Whether a message reaches the program while it works; else it comes after the turn. */
export const canBeSteered = ({ steers, driver }: AgentEntry): boolean =>
  steers ?? driver.kind !== 'acp';
