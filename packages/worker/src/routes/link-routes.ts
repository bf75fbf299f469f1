import { FilepathError, RunnerId, ThreadId } from '@filepath/protocol';
import { z } from 'zod';
import { encodingOf } from '../feed/feed-request.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { notFound } from '../result.ts';

/** WebSockets of runners. The objects learn who calls from the header that is set here, never from the caller. */
function linkRequest(request: Request, runner: RunnerId): Request {
  demandUpgrade(request);
  return new Request('https://object.invalid/', {
    headers: { upgrade: 'websocket', 'x-filepath-runner': runner },
  });
}

function demandUpgrade(request: Request): void {
  if (encodingOf(request) !== 'websocket') {
    throw new FilepathError('upgrade_required', 'this is a WebSocket: connect with an upgrade');
  }
}

export const linkRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/link/runner/:runnerId',
      summary: "A runner's control socket.",
      access: 'runner',
      params: z.object({ runnerId: RunnerId }),
      responses: { 101: { description: 'A WebSocket of control frames.' } },
    },
    ({ env, runnerId, params, request }) => {
      if (params.runnerId !== runnerId) throw notFound('this runner');
      return env.RUNNER.getByName(runnerId).fetch(linkRequest(request, runnerId));
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/link/thread/:threadId',
      summary: "A running agent's socket, from its runner.",
      access: 'runner',
      params: z.object({ threadId: ThreadId }),
      responses: { 101: { description: 'A WebSocket of agent frames.' } },
    },
    ({ env, runnerId, params, request }) =>
      env.THREAD.getByName(params.threadId).fetch(linkRequest(request, runnerId)),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/link/tunnel',
      summary: 'A machine that serves a directory to a chat, by the token of its tunnel.',
      access: 'tunnel',
      responses: { 101: { description: 'A WebSocket of frames of a tunnel.' } },
    },
    ({ env, tunnel, request }) => {
      demandUpgrade(request);
      const headers = {
        upgrade: 'websocket',
        'x-filepath-tunnel': tunnel.tunnel,
        'x-filepath-tunnel-secret': tunnel.secret,
      };
      const url = 'https://object.invalid/';
      return env.ChatTunnels.getByName(tunnel.thread).fetch(new Request(url, { headers }));
    },
  ),
];
