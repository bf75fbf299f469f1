import { FilepathError, issuesOf, LogEvent, Memory } from '@filepath/protocol';

type Schema<T> = {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: Parameters<typeof issuesOf>[0] };
};

/** The field of an answer, seen through its schema. */
export async function field<T>(response: Response, name: string, schema: Schema<T>): Promise<T> {
  return parse(record(await json(response))[name], name, schema);
}

export async function whole<T>(response: Response, name: string, schema: Schema<T>): Promise<T> {
  return parse(await json(response), name, schema);
}

/** An object whose parts are for another program. */
export async function opaque(response: Response): Promise<Record<string, unknown>> {
  return record(await json(response));
}

export type EventsPage = { events: LogEvent[]; next: number | null };

export async function eventsPage(response: Response): Promise<EventsPage> {
  const body = record(await json(response));
  const next = body['next'];
  return {
    events: parse(body['events'], 'events', LogEvent.array()),
    next: typeof next === 'number' ? next : null,
  };
}

/** `total` counts all in the scope and repository that were asked for. */
export type MemoryList = { memories: Memory[]; total: number };

export async function memoryList(response: Response): Promise<MemoryList> {
  const body = record(await json(response));
  const memories = parse(body['memories'], 'memories', Memory.array());
  const { total } = body;
  return { memories, total: typeof total === 'number' ? total : memories.length };
}

export async function acceptedSeq(response: Response): Promise<number> {
  const seq = record(await json(response))['seq'];
  if (typeof seq === 'number' && Number.isInteger(seq)) return seq;
  throw unreadable('seq', 'expected an integer');
}

export type Health = {
  /** Whether this instance can run agents, and if not, why. */
  agents: { available: boolean; reason: string | null };
};

/** An instance that says nothing about agents is taken to run them. */
export async function health(response: Response): Promise<Health> {
  const agents = record(record(await json(response))['agents']);
  const reason = agents['reason'];
  return {
    agents: {
      available: agents['available'] !== false,
      reason: typeof reason === 'string' ? reason : null,
    },
  };
}

function parse<T>(value: unknown, name: string, schema: Schema<T>): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = issuesOf(parsed.error);
  throw unreadable(name, `${first?.path ?? '(root)'}: ${first?.reason ?? 'invalid'}`);
}

function unreadable(name: string, reason: string): FilepathError {
  return new FilepathError(
    'internal',
    `filepath answered with a ${name} that this version cannot read (${reason}). Reload, or update the older side.`,
  );
}

async function json(response: Response): Promise<unknown> {
  return response.json().catch(() => {
    throw unreadable('body', 'not JSON');
  });
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
