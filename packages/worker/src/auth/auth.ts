import { betterAuth } from 'better-auth/minimal';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { bearer } from 'better-auth/plugins/bearer';
import { authTables, openDb } from '../db/client.ts';
import type { Env } from '../env.ts';
import { log } from '../http/log.ts';
import { signInLink } from './sign-in-link.ts';

const DAY = 24 * 60 * 60;

/**
 * better-auth on D1, for requests that came to `origin`. Its own router is not mounted: a route of `routes.ts`
 * is the only way to one of its endpoints. There is no sign-up.
 */
function createAuth(env: Env, origin: string) {
  const { port } = new URL(origin);
  return betterAuth({
    appName: 'filepath',
    baseURL: origin,
    basePath: '/api/auth',
    secret: env.FILEPATH_SECRET,
    trustedOrigins: [origin],
    database: drizzleAdapter(openDb(env), { provider: 'sqlite', schema: authTables }),
    emailAndPassword: { enabled: false, disableSignUp: true },
    // Without the cookie cache a sign-out holds at once, also for a copy of the cookie.
    session: { expiresIn: 30 * DAY, updateAge: DAY, cookieCache: { enabled: false } },
    advanced: {
      database: { joins: true },
      ipAddress: { disableIpTracking: true },
      // Cookies do not know ports: two instances on one machine keep apart by name.
      cookiePrefix: port ? `filepath-${port}` : 'filepath',
      defaultCookieAttributes: { httpOnly: true, sameSite: 'strict', path: '/' },
    },
    plugins: [bearer({ requireSignature: true }), signInLink({ ownerToken: env.FILEPATH_TOKEN })],
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { level: 'warn', log: (level, message) => log(levelOf(level), 'auth', { message }) },
  });
}

type Auth = ReturnType<typeof createAuth>;

/** Setting better-auth up costs milliseconds; an environment has as many as it has origins. */
const made = new WeakMap<Env, Map<string, Auth>>();

export async function authFor(env: Env, origin: string): Promise<Auth> {
  const known = made.get(env)?.get(origin);
  if (known) return known;
  const auth = createAuth(env, origin);
  // Kept only once it is ready: a promise that a cancelled request left pending would hold up all others.
  await auth.$context;
  made.set(env, (made.get(env) ?? new Map<string, Auth>()).set(origin, auth));
  return auth;
}

const levelOf = (level: string) => (level === 'error' || level === 'warn' ? level : 'info');
