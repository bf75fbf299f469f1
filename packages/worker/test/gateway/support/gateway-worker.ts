import type { Env } from '../../../src/env.ts';
import { BodyRoom } from '../../../src/gateway/body/body-room.ts';
import type { Directory, Upstream } from '../../../src/gateway/contract.ts';
import { reached } from '../../../src/gateway/reached.ts';
import { gatewayRoutes } from '../../../src/gateway/routes.ts';
import { overHttp } from '../../../src/gateway/send.ts';
import { TIMES, type Times } from '../../../src/gateway/times.ts';
import { buildFetch } from '../../../src/http/app.ts';
import { MemoryLedger } from './memory-ledger.ts';

/** The gateway alone: with a ledger in memory and one provider, both set by the test. */

type Setting = {
  upstream: Partial<Upstream>;
  times: Partial<Times>;
  grant: number | null;
  holds: boolean;
  ahead: boolean;
};

const ledger = new MemoryLedger();
let setting: Setting = { upstream: {}, times: {}, grant: null, holds: false, ahead: false };

const directory: Directory = {
  route: async (_, path, model) => {
    if (model === 'nobody/knows')
      return { refused: 'no_provider', message: 'Nobody answers for it.' };
    const price = { input: 3000, output: 15_000, cacheRead: 300, cacheWrite: 3750 };
    const base = setting.upstream.url ?? '';
    const upstream = { provider: 'scripted', headers: {}, model, price, maxOutput: 32_000 };
    return { ...upstream, ...setting.upstream, url: `${base}${path}` };
  },
};

const room = new BodyRoom(48 * 1024 * 1024);
const offline = (): Response => new Response('offline');
const sender = overHttp((input, init) => fetch(input, init), reached, offline);

const answer = buildFetch(
  gatewayRoutes((_env, _agent, ctx) => ({
    directory,
    ledger,
    sender,
    ahead: () => ({ holds: setting.ahead, said: (stands) => ledger.said.push(stands) }),
    room,
    models: async () => ({ data: [] }),
    times: { ...TIMES, ...setting.times },
    keep: (work) => ctx.waitUntil(work),
  })),
);

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === '/test/set') {
      setting = { ...setting, ...(await request.json<Partial<Setting>>()) };
      ledger.grant = setting.grant;
      ledger.holds = setting.holds;
      return new Response();
    }
    if (pathname === '/test/ledger') return Response.json(ledger.state());
    request.signal.addEventListener('abort', () => (ledger.left += 1));
    return answer(request, env, ctx);
  },
} satisfies ExportedHandler<Env>;
