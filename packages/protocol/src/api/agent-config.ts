import { z } from 'zod';
import { Gates } from '../thread/gates.ts';
import { NetworkConfig } from './network.ts';

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
  /** What the agent asks leave for is allowed by policy, unless given, or a person is asked. */
  permissions: z.enum(['allow', 'ask']).optional(),
  /** An agent whose model traffic does not pass the gateway may run under a money budget. */
  allowUnmetered: z.boolean().optional(),
  /** Unless given, `allowlist`. Children inherit it. */
  network: NetworkConfig.optional(),
  /** What must pass before what the agent calls done is done. Unless given, what `filepath.json` declares. */
  gates: Gates.optional(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

export const MASK = '••••••';

/** Values of `envVars` go in and never come out. */
export function maskConfig(config: AgentConfig): AgentConfig {
  if (!config.envVars) return config;
  const envVars = Object.fromEntries(Object.keys(config.envVars).map((name) => [name, MASK]));
  return { ...config, envVars };
}
