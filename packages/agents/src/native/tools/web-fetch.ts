import { cutMiddle, defineTool, failed, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import { htmlToText } from '../html-to-text.ts';

const MAX_BYTES = 2 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const TEXT =
  /^(text\/|application\/(json|xml|xhtml|rss|atom|javascript|yaml|toml|x-ndjson)|[^;]*\+(json|xml))/i;

/** Reads by `fetch`, which goes by the proxy that the environment names: the agent's network policy decides. */
export function webFetchTool(): LoopTool {
  return defineTool({
    name: 'web_fetch',
    description: 'Fetch a page or document from the web as text. HTML becomes readable text.',
    input: z.object({
      url: z.url({ protocol: /^https?$/ }).max(2_048),
      offset: z.int().min(0).optional().describe('characters to leave out, to read on'),
      limit: z.int().min(1).max(40_000).optional().describe('characters; 20000 unless given'),
    }),
    readOnly: true,
    async run({ url, offset = 0, limit = 20_000 }, { signal }) {
      const time = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(url, {
        headers: { accept: 'text/html,text/*;q=0.9,application/json;q=0.9,*/*;q=0.1' },
        signal: AbortSignal.any([signal, time]),
      }).catch((error: unknown) => {
        throw new Error(why(error, new URL(url).host, time.aborted));
      });
      const type = answer.headers.get('content-type') ?? 'text/plain';
      if (!TEXT.test(type)) {
        await answer.body?.cancel();
        return failed(`${url} is ${type}, which is no text.`);
      }
      const { text, cut } = await bodyOf(answer);
      const readable = /html/i.test(type) ? htmlToText(text) : text;
      const shown = readable.slice(offset, offset + limit);
      const left = readable.length - offset - shown.length;
      if (!answer.ok) return failed(`${url} answered ${answer.status}. ${cutMiddle(shown, 2_000)}`);
      const notes = [
        ...(left > 0 ? [`[${left} more characters; go on at offset ${offset + limit}]`] : []),
        ...(cut ? [`[the document is longer than ${MAX_BYTES} bytes; its end was not read]`] : []),
      ];
      return { ok: true, text: [shown, ...notes].join('\n') };
    },
  });
}

async function bodyOf(answer: Response): Promise<{ text: string; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_BYTES) break;
  }
  const text = Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('utf8');
  return { text, cut: bytes >= MAX_BYTES };
}

function why(error: unknown, host: string, timedOut: boolean): string {
  if (timedOut) return `${host} did not answer within ${TIMEOUT_MS / 1000} seconds.`;
  const message = deepest(error);
  // The proxy's own sentence does not come through a refused CONNECT.
  if (/\b403\b/.test(message)) {
    return `The network policy of this agent does not allow ${host}. A person can add it to the agent's network.allow.`;
  }
  return `${host} could not be reached: ${message}`;
}

/** fetch wraps what happened in words that say nothing. */
function deepest(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? deepest(error.cause) : error.message;
}
