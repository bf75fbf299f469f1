import { describe, expect, it } from 'vitest';
import { BodyRoom } from '../../../src/gateway/body/body-room.ts';
import { readIncoming } from '../../../src/gateway/incoming.ts';
import { TIMES } from '../../../src/gateway/times.ts';

const SIZE = 20 * 1024 * 1024;
const TARGET = { dialect: 'anthropic', path: '/v1/messages' } as const;

/** A request that announces a large body, of which only a part comes. */
function upload(): { request: Request; breakOff: () => void; leave: () => void } {
  const leaving = new AbortController();
  let breakOff = (): void => undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('{"model":"m-1","padding":"'));
      breakOff = () => controller.error(new Error('the connection was lost'));
    },
  });
  const headers = { 'content-length': String(SIZE) };
  const init = { method: 'POST', headers, body, duplex: 'half', signal: leaving.signal };
  const request = new Request('http://127.0.0.1/gateway/anthropic/v1/messages', init);
  return { request, breakOff, leave: () => leaving.abort() };
}

describe('[GW13] the room of a large body', () => {
  it('is given back when the body breaks off, which is told as a bad request', async () => {
    const room = new BodyRoom(SIZE);
    const { request, breakOff } = upload();
    const reading = readIncoming(request, TARGET, { room, times: TIMES });
    expect(room.take(SIZE)).toBeNull();
    breakOff();
    expect(await reading).toMatchObject({ problem: 'bad_request' });
    expect(room.take(SIZE)).not.toBeNull();
  });

  it('is given back once when the agent leaves while it sends', async () => {
    const room = new BodyRoom(SIZE);
    const { request, leave, breakOff } = upload();
    const reading = readIncoming(request, TARGET, { room, times: TIMES });
    leave();
    const taken = room.take(SIZE);
    expect(taken).not.toBeNull();
    breakOff();
    await reading;
    expect(room.take(SIZE)).toBeNull();
  });

  it('is given back when the body does not arrive in time, which a client tries again', async () => {
    const room = new BodyRoom(SIZE);
    const { request } = upload();
    const read = await readIncoming(request, TARGET, { room, times: { upload: 20 } });
    expect(read).toMatchObject({ problem: 'timeout' });
    expect(room.take(SIZE)).not.toBeNull();
  });
});
