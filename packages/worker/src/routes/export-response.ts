import { EXPORT_VERSION, exportClaim, SESSION_VERSION, type ThreadId } from '@filepath/protocol';
import { signExport } from '../auth/instance-key.ts';
import type { Env } from '../env.ts';
import { unwrap } from '../result.ts';
import { nodeHashing } from '../thread/node-hashing.ts';

/** How the line of a receipt begins; the receipt itself goes up to the last brace. */
const RECEIPT = '{"type":"receipt","receipt":';

/** A thread as NDJSON, page by page at the reader's pace, up to where it stood when it was asked for. */
export async function exportResponse(env: Env, user: string, thread: ThreadId): Promise<Response> {
  const object = env.THREAD.getByName(thread);
  // Asked for before the answer begins, so that a thread which is not there is a 404.
  const first = unwrap(await object.exportPage(user, null));
  const encoder = new TextEncoder();
  let page = first;
  let begun = false;
  const receipts = nodeHashing.stream();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (begun) page = unwrap(await object.exportPage(user, page.next));
      const lines = begun ? page.lines : [header(thread, first.name), ...page.lines];
      begun = true;
      for (const line of page.lines) {
        if (line.startsWith(RECEIPT)) receipts.update(`${line.slice(RECEIPT.length, -1)}\n`);
      }
      const { head } = page;
      if (head !== null) {
        const end = { count: page.next.upTo, head, receipts: receipts.digest() };
        const signed = await signExport(env, exportClaim(thread, end));
        lines.push(JSON.stringify({ type: 'end', ...end, ...signed }));
      }
      controller.enqueue(encoder.encode(`${lines.join('\n')}\n`));
      if (head !== null) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="${thread}.ndjson"`,
      'cache-control': 'no-store',
    },
  });
}

function header(thread: ThreadId, name: string): string {
  return JSON.stringify({
    type: 'export',
    version: EXPORT_VERSION,
    liteclaw_session_version: SESSION_VERSION,
    thread,
    name,
    exportedAt: new Date().toISOString(),
  });
}
