import { LogEvent, type ThreadId } from '@filepath/protocol';
import { Receipt, SkyMessage, writeSkyExport } from '@filepath/protocol/sky';
import type { z } from 'zod';
import { signExport } from '../auth/instance-key.ts';
import type { Env } from '../env.ts';
import type { ExportKind } from '../liteclaw/export-pages.ts';
import { chatOf } from '../liteclaw/spawn.ts';
import { unwrap } from '../result.ts';

/** Characters that are sent together. */
const TOGETHER = 64 * 1024;

/** A chat as signed lines of JSON, page by page at the reader's pace, as it stood when it was asked for. */
export async function chatExport(env: Env, id: ThreadId): Promise<Response> {
  const chat = await chatOf(env, { id });
  const head = await chat.exportHead();
  async function* rows<S extends z.ZodType>(
    kind: ExportKind,
    schema: S,
  ): AsyncGenerator<z.output<S>> {
    for (let after = 0; ;) {
      const page = unwrap(await chat.exportPage(head, kind, after));
      for (const { json } of page) yield schema.parse(JSON.parse(json));
      const last = page.at(-1);
      if (!last) return;
      after = last.at;
    }
  }
  const lines = writeSkyExport(
    {
      thread_id: id,
      name: 'LiteClaw',
      exported_at: new Date().toISOString(),
      after: head.after,
      messages: rows('message', SkyMessage),
      events: rows('event', LogEvent),
      receipts: rows('receipt', Receipt),
      memory: head.memory,
    },
    (claim) => signExport(env, claim),
  );
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      let text = '';
      while (text.length < TOGETHER) {
        const { done, value } = await lines.next();
        if (done === true) {
          if (text !== '') controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += value;
      }
      controller.enqueue(encoder.encode(text));
    },
    cancel: async () => {
      await lines.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="${id}.jsonl"`,
      'cache-control': 'no-store',
    },
  });
}
