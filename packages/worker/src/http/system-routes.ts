import { Executor, Limits } from '@filepath/protocol';
import { z } from 'zod';
import type { Env } from '../env.ts';
import { openApi } from './openapi.ts';
import { defineRoute, json, type Route } from './route.ts';
import { VERSION } from './version.ts';

const Agents = z.object({
  available: z.boolean(),
  reason: z.string().optional(),
  /** What holds agents to their limits. */
  limits: Limits.optional(),
  /** The ways in which the runner runs agents. */
  executors: z.array(Executor).optional(),
});

const Health = z.object({ ok: z.literal(true), version: z.string(), agents: Agents });

type SystemParts = {
  /** Whether agents can run here, and if not, why. */
  readonly agents: (env: Env) => Promise<z.infer<typeof Agents>>;
  /** All routes of the app, for its description. */
  readonly routes: () => readonly Route[];
};

export function systemRoutes(parts: SystemParts): Route[] {
  const health = defineRoute(
    {
      method: 'GET',
      path: '/api/health',
      summary: 'Whether the worker answers, and whether agents can run.',
      access: 'open',
      responses: { 200: { description: 'It answers.', schema: Health } },
    },
    async ({ env }) => json({ ok: true, version: VERSION, agents: await parts.agents(env) }),
  );
  const description = defineRoute(
    {
      method: 'GET',
      path: '/api/openapi.json',
      summary: 'This API as an OpenAPI 3.1 document.',
      access: 'user',
      responses: {
        200: { description: 'The document.', schema: z.record(z.string(), z.unknown()) },
      },
    },
    () => json(openApi(parts.routes())),
  );
  return [health, description];
}
