import { z } from 'zod';
import { NetworkConfig } from './network.ts';

/** Agent types of the catalog. What this instance can run is decided when a node is created. */
export const AgentType = z.enum([
  'shelley',
  'pi',
  'claude-code',
  'codex',
  'cursor',
  'amp',
  'custom',
]);
export type AgentType = z.infer<typeof AgentType>;

const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected a variable name');

export const AgentConfig = z.strictObject({
  /** `custom`: the program and its arguments, run in the sandbox. */
  command: z.array(z.string().min(1).max(65536)).min(1).max(256).optional(),
  image: z.string().min(1).max(512).optional(),
  dockerfile: z.string().min(1).max(1024).optional(),
  systemPrompt: z.string().max(262144).optional(),
  envVars: z
    .record(envName, z.string().max(65536))
    .refine((vars) => Object.keys(vars).length <= 256, 'at most 256 variables')
    .refine(
      (vars) => !Object.keys(vars).some((name) => name.startsWith('FILEPATH_')),
      'names beginning with FILEPATH_ are set by filepath',
    )
    .optional(),
  maxTokens: z.int().min(1).optional(),
  /** An agent whose calls to models cannot be metered may work under a budget in money all the same. */
  allowUnmetered: z.boolean().optional(),
  /** Unless given, `allowlist`. Children inherit it. */
  network: NetworkConfig.optional(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

export const MASK = '••••••';

/** Values of `envVars` go in and never come out. */
export function maskConfig(config: AgentConfig): AgentConfig {
  if (!config.envVars) return config;
  const envVars = Object.fromEntries(Object.keys(config.envVars).map((name) => [name, MASK]));
  return { ...config, envVars };
}
