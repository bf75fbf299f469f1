import type { ThreadId } from '../ids.ts';
import { CHAIN_START, type ChainPlace, GENESIS } from '../thread/chain.ts';
import type { LogEvent } from '../thread/log-event.ts';
import {
  SKY_BODIES,
  SKY_EXPORT_VERSION,
  SKY_LINE,
  SKY_SCHEMAS,
  skyExportClaim,
  skyLineInput,
  type SkyLineType,
} from './export-lines.ts';
import { sha256Hex } from './hashing.ts';
import type { SkyMemory } from './memory.ts';
import type { SkyMessage } from './message.ts';
import type { Receipt } from './receipts.ts';
import { CF_SKY_VERSION, SESSION_VERSION } from './versions.ts';

type Many<T> = AsyncIterable<T> | Iterable<T>;

export type SkyExportSource = {
  thread_id: ThreadId;
  name: string;
  exported_at: string;
  /** Unless the log begins with its first event. */
  after?: ChainPlace;
  messages: Many<SkyMessage>;
  events: Many<LogEvent>;
  receipts: Many<Receipt>;
  memory: SkyMemory | null;
};

/** Signs with the instance's key; both in base64. */
export type SignClaim = (claim: string) => Promise<{ publicKey: string; signature: string }>;

/** The lines of an export, each with its line break, as they are asked for. Throws what does not fit the schemas. */
export async function* writeSkyExport(
  source: SkyExportSource,
  sign: SignClaim,
): AsyncGenerator<string> {
  const lines = new LineWriter();
  const { thread_id, name, exported_at, after = CHAIN_START } = source;
  yield lines.next('sky.export', {
    version: SKY_EXPORT_VERSION,
    liteclaw_session_version: SESSION_VERSION,
    cf_sky_version: CF_SKY_VERSION,
    schemas: SKY_SCHEMAS,
    thread_id,
    name,
    exported_at,
    after,
  });
  for await (const message of source.messages) yield lines.next('message', message);
  let log = after;
  for await (const event of source.events) {
    yield lines.next('event', event);
    log = { seq: event.seq, hash: event.hash };
  }
  for await (const receipt of source.receipts) yield lines.next('receipt', receipt);
  if (source.memory !== null) yield lines.next('memory', source.memory);
  const { counts, n, hash } = lines;
  const { publicKey, signature } = await sign(skyExportClaim(thread_id, n, hash));
  const { message: messages, event: events, receipt: receipts, memory } = counts;
  yield lines.next('end', {
    messages,
    events,
    receipts,
    memory,
    log,
    public_key: publicKey,
    signature,
  });
}

class LineWriter {
  n = 0;
  hash = GENESIS;
  counts = { message: 0, event: 0, receipt: 0, memory: 0 };

  async next(type: SkyLineType, given: unknown): Promise<string> {
    const body = JSON.stringify(SKY_BODIES[type].parse(given));
    this.n += 1;
    if (type in this.counts) this.counts[type as keyof typeof this.counts] += 1;
    this.hash = await sha256Hex(skyLineInput(this.hash, this.n, type, body));
    const line = `{"n":${this.n},"type":"${type}","body":${body},"hash":"${this.hash}"}\n`;
    if (new TextEncoder().encode(line).length > SKY_LINE) {
      throw new RangeError(`The ${type} of line ${this.n} is larger than ${SKY_LINE} bytes.`);
    }
    return line;
  }
}
