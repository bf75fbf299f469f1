import type { SkyExportLine } from './export-lines.ts';
import { type PiBody, toPiMessages } from './pi-messages.ts';

/** The version of pi's session files that is written. */
const PI_SESSION_VERSION = 3;

/**
 * The lines of a session file of pi, from those of an export. Messages become messages, the summary a compaction that keeps
 * what came after it; events, receipts and parts that pi has no word for become `custom` entries, which pi keeps and shows no model.
 */
export async function* toPiSession(
  lines: AsyncIterable<SkyExportLine>,
  cwd: string,
): AsyncGenerator<string> {
  const entries = new Entries();
  for await (const line of lines) {
    switch (line.type) {
      case 'sky.export': {
        const { thread_id: id, exported_at: timestamp, name } = line.body;
        yield `${JSON.stringify({ type: 'session', version: PI_SESSION_VERSION, id, timestamp, cwd })}\n`;
        entries.timestamp = timestamp;
        yield entries.next({ type: 'session_info', name });
        yield entries.custom('sky.export', line.body);
        break;
      }
      case 'message': {
        const { body } = line;
        entries.timestamp = body.created_at ?? entries.timestamp;
        for (const said of toPiMessages(body, Date.parse(entries.timestamp))) {
          yield entries.next(said);
        }
        entries.ended(body.id);
        break;
      }
      case 'event':
        entries.timestamp = line.body.at;
        yield entries.custom('sky.event', line.body);
        break;
      case 'receipt':
        yield entries.custom('sky.receipt', line.body);
        break;
      case 'memory':
        yield entries.custom('sky.memory', line.body);
        yield entries.compaction(line.body.summary, line.body.through);
        break;
      case 'end':
        yield entries.custom('sky.end', line.body);
        break;
    }
  }
}

type Body = PiBody | { type: 'session_info'; name: string } | Record<'type' | 'summary', string>;

/** Gives each entry its id and the one before it as its parent. */
class Entries {
  timestamp = new Date(0).toISOString();
  #count = 0;
  /** The entry with which each message ended. */
  #last = new Map<string, number>();

  next(body: Body): string {
    const parentId = this.#count === 0 ? null : idOf(this.#count);
    this.#count += 1;
    const { type, ...rest } = body;
    const place = { type, id: idOf(this.#count), parentId, timestamp: this.timestamp };
    return `${JSON.stringify({ ...place, ...rest })}\n`;
  }

  custom(customType: string, data: unknown): string {
    return this.next({ type: 'custom', customType, data });
  }

  ended(message: string): void {
    this.#last.set(message, this.#count);
  }

  /** Where it is not known what the summary covers, nothing is left out. */
  compaction(summary: string, through: string | null): string {
    const covered = through === null ? 0 : (this.#last.get(through) ?? 0);
    const kept = { firstKeptEntryId: idOf(covered + 1), tokensBefore: 0 };
    return this.next({ type: 'compaction', summary, ...kept });
  }
}

const idOf = (number: number): string => number.toString(16).padStart(8, '0');
