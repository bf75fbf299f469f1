import { describe, expect, it } from 'vitest';
import {
  AGENT,
  OTHERS,
  guarded,
  send,
  sendBody,
  setScene,
  theScene,
  upgrade,
  waysOf,
  withIds,
} from './support/access.ts';
import { call, RUNNER, treeOf } from './support/api.ts';

setScene();

describe('[SEC4] another user', () => {
  it.each(withIds)('%s is 404', async (_, route) => {
    const { stranger } = theScene();
    for (const way of waysOf(route)) {
      expect((await sendBody(route, { ...stranger, ...way })).status).toBe(404);
    }
  });

  it('is not told of the owner’s sessions, and has changed none', async () => {
    const { session, node, stranger } = theScene();
    const list = await (await call('/api/session', { headers: stranger })).json();
    expect(list).toEqual({ sessions: [] });
    expect(await (await call('/api/attention', { headers: stranger })).json()).toEqual({
      items: [],
    });
    const tree = await treeOf(session.id);
    expect(tree.nodes.map((one) => [one.id, one.name])).toEqual([[node.id, node.name]]);
    expect(tree.session.name).toBe(session.name);
  });

  it('is no owner', async () => {
    const { stranger } = theScene();
    const response = await call('/api/auth/link', { method: 'POST', headers: stranger });
    expect(response.status).toBe(401);
  });
});

describe('[SEC5] runners and users', () => {
  it.each(guarded)('%s refuses the other’s token', async (_, route) => {
    const others = OTHERS[route.access]?.(theScene().stranger) ?? [RUNNER, AGENT];
    for (const headers of others) {
      for (const way of waysOf(route)) {
        expect((await send(route, { ...headers, ...way })).status).toBe(401);
      }
    }
  });

  it('keeps one runner from the place of another', async () => {
    const headers = { ...RUNNER, ...upgrade };
    expect((await call('/link/runner/rn_other', { headers })).status).toBe(404);
  });
});
