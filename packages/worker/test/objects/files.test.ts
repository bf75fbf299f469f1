import { createHash } from 'node:crypto';
import { env, exports } from 'cloudflare:workers';
import { FILE_LIMITS, fileKey, KeptFile, type ThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ask, call, logOf, newAgent, ORIGIN, OWNER, RUNNER } from './support/api.ts';
import { TestRunner } from './support/runner.ts';
import { signInAs } from './support/users.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function upload(
  thread: ThreadId,
  body: Buffer,
  headers: Record<string, string> = OWNER,
): Promise<Response> {
  const request = new Request(`${ORIGIN}/api/thread/${thread}/file`, {
    method: 'POST',
    headers,
    body: new Uint8Array(body),
  });
  return exports.default.fetch(request);
}

const fileIn = async (response: Response): Promise<KeptFile> => {
  expect(response.status).toBe(201);
  return z.object({ file: KeptFile }).parse(await response.json()).file;
};

it('[UII9] [UII11] a file is kept, named by a message, and read again by its owner and its runner alone', async () => {
  await TestRunner.connect();
  const { session, node } = await newAgent();
  const file = await fileIn(await upload(node.id, PNG));
  expect(file).toEqual({ sha256: hashOf(PNG), bytes: PNG.length, type: 'image/png' });
  const at = `/api/thread/${node.id}/file/${file.sha256}`;
  const linked = `/link/file/${node.id}/${file.sha256}`;

  const shown = await call(at, { headers: OWNER });
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(PNG);
  expect(shown.headers.get('content-type')).toBe('image/png');
  expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
  expect(shown.headers.get('content-security-policy')).toContain('sandbox');
  expect(Buffer.from(await (await call(linked, { headers: RUNNER })).arrayBuffer())).toEqual(PNG);

  const stranger = await signInAs('stranger');
  expect((await call(at, { headers: stranger })).status).toBe(404);
  expect((await upload(node.id, PNG, stranger)).status).toBe(404);
  const { node: other } = await newAgent();
  expect((await call(`/link/file/${other.id}/${file.sha256}`, { headers: RUNNER })).status).toBe(
    404,
  );

  const attachments = [{ name: 'shot.png', sha256: file.sha256 }];
  const path = `/api/thread/${node.id}/message`;
  await ask(202, 'POST', path, { content: 'see', attachments });
  expect((await logOf(node.id)).at(0)?.body).toMatchObject({
    content: 'see',
    attachments: [{ ...file, name: 'shot.png' }],
  });
  for (const bad of [
    [{ name: '../x', sha256: file.sha256 }],
    [{ name: 'x', sha256: 'no' }],
    Array.from({ length: FILE_LIMITS.message + 1 }, () => attachments[0]),
  ]) {
    const body = { content: 'x', attachments: bad };
    expect((await call(path, { method: 'POST', headers: OWNER, body })).status).toBe(400);
  }

  await ask(204, 'DELETE', `/api/session/${session.id}/node/${node.id}`);
  await expect.poll(() => env.BLOBS.head(fileKey(node.id, file.sha256))).toBeNull();
});

it('[UII11] what is no image is a download, and what is empty or too large is refused', async () => {
  const { node } = await newAgent();
  const html = Buffer.from('<script>alert(1)</script>');
  const file = await fileIn(await upload(node.id, html, { ...OWNER, 'content-type': 'text/html' }));
  const at = `/api/thread/${node.id}/file/${file.sha256}?name=${encodeURIComponent('ä".html')}`;
  const { headers } = await call(at, { headers: OWNER });
  expect(headers.get('content-type')).toBe('application/octet-stream');
  expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''%C3%A4%22.html");
  expect((await upload(node.id, Buffer.alloc(0))).status).toBe(400);
  expect((await upload(node.id, Buffer.alloc(FILE_LIMITS.bytes + 1))).status).toBe(413);
});
