import { EXPORT_VERSION, exportClaim, SESSION_VERSION, type ThreadId } from '@filepath/protocol';
import { signExport } from '../auth/instance-key.ts';
import type { Env } from '../env.ts';
import { unwrap } from '../result.ts';
import type { ExportPage } from '../thread/export-page.ts';

/** A thread as NDJSON, page by page at the reader's pace, up to where it stood when it was asked for. */
export async function exportResponse(env: Env, user: string, thread: ThreadId): Promise<Response> {
  const object = env.THREAD.getByName(thread);
  let page = unwrap(await object.exportPage(user, 0, null));
  const encoder = new TextEncoder();
  let begun = false;
  let ended = false;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (ended) {
        controller.close();
        return;
      }
      if (begun) page = unwrap(await object.exportPage(user, page.last, page.upTo));
      const lines = begun ? [] : [header(thread, page)];
      begun = true;
      for (const event of page.events) lines.push(`{"type":"event","event":${event}}`);
      if (page.end) {
        for (const receipt of page.end.receipts) {
          lines.push(`{"type":"receipt","receipt":${receipt}}`);
        }
        const { head } = page.end;
        const signed = await signExport(env, exportClaim(thread, page.upTo, head));
        lines.push(JSON.stringify({ type: 'end', count: page.upTo, head, ...signed }));
        ended = true;
      }
      controller.enqueue(encoder.encode(`${lines.join('\n')}\n`));
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

function header(thread: ThreadId, page: ExportPage): string {
  return JSON.stringify({
    type: 'export',
    version: EXPORT_VERSION,
    liteclaw_session_version: SESSION_VERSION,
    thread,
    name: page.name,
    exportedAt: new Date().toISOString(),
  });
}
