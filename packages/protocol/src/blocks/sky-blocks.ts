import { z } from 'zod';
import type { SkyEvent } from '../sky/events.ts';
import type { Base, Block, TextBlock, ToolBlock } from './block.ts';

type Placed = { index: number | null; block: Block };

const text = z.string();
const kind = <T extends SkyEvent['type'], S extends z.ZodRawShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), run_id: text, ...shape });

/** What is shown of each. The schema itself is not on the page: it would load it for this alone. */
const Shown = z.discriminatedUnion('type', [
  kind('run.started', {}),
  kind('model.delta', { delta: text, of: text.optional() }),
  kind('model.completed', { output: text }),
  kind('tool.call.started', { tool_call_id: text, tool_name: text }),
  kind('tool.call.delta', {}),
  kind('tool.call.completed', { tool_call_id: text, args: z.unknown() }),
  kind('tool.result', {
    tool_call_id: text,
    status: text,
    output: z.unknown(),
    duration_ms: z.number().optional(),
  }),
  kind('run.error', { error_code: text, message: text }),
  kind('run.completed', {}),
]);
type Shown = z.infer<typeof Shown>;
type Of<T extends Shown['type']> = Extract<Shown, { type: T }>;

/** What a thread shows of Sky's events: the answer while it is written and whole, calls of tools, errors. */
export class SkyBlocks {
  /** The text that is being written, and where it stands. */
  #text: { index: number; block: TextBlock } | null = null;
  #calls = new Map<string, { index: number; block: ToolBlock }>();

  /** The blocks that the event adds at `next` or changes; null for what is no event of Sky. */
  take(base: Base, body: unknown, next: number): Placed[] | null {
    const { data: event } = Shown.safeParse(body);
    if (event === undefined) return null;
    switch (event.type) {
      case 'model.delta':
        return event.of === 'reasoning' ? [] : this.#write(base, event.delta, next);
      case 'model.completed':
        return this.#wrote(base, event.output);
      case 'tool.call.started':
        return this.#call(base, event, next);
      case 'tool.call.completed':
        return this.#change(event.tool_call_id, { input: event.args });
      case 'tool.result':
        return this.#result(base, event);
      case 'run.error':
        return [...this.#cut(), { index: null, block: errorBlock(base, event) }];
      case 'run.started':
      case 'run.completed':
        return this.#cut();
      case 'tool.call.delta':
        return [];
    }
  }

  #write(base: Base, delta: string, next: number): Placed[] {
    const before = this.#text;
    const head = before?.block ?? { ...base, kind: 'text', partial: true, truncated: false };
    const block: TextBlock = { ...head, content: `${before?.block.content ?? ''}${delta}` };
    this.#text = { index: before?.index ?? next, block };
    return [{ index: before?.index ?? null, block }];
  }

  #wrote(base: Base, content: string): Placed[] {
    const before = this.#text;
    this.#text = null;
    if (before === null && content === '') return [];
    const whole = { content, partial: false, truncated: false };
    const block: TextBlock = { ...(before?.block ?? { ...base, kind: 'text' }), ...whole };
    return [{ index: before?.index ?? null, block }];
  }

  #call(base: Base, { tool_call_id, tool_name: name }: Of<'tool.call.started'>, next: number) {
    const none = { path: null, input: null, output: null, diff: null, durationMs: null };
    const block: ToolBlock = { ...base, kind: 'tool', name, status: 'start', ...none };
    this.#calls.set(tool_call_id, { index: next, block });
    return [{ index: null, block }];
  }

  #result(base: Base, event: Of<'tool.result'>): Placed[] {
    const { tool_call_id: id, status, output, duration_ms } = event;
    const began = this.#calls.get(id)?.block.at ?? base.at;
    const changed = this.#change(id, {
      status: status === 'completed' ? 'done' : 'error',
      output: typeof output === 'string' ? output : JSON.stringify(output ?? null, null, 2),
      durationMs: duration_ms ?? Math.max(0, Date.parse(base.at) - Date.parse(began)),
    });
    this.#calls.delete(id);
    return changed;
  }

  #change(id: string, change: Partial<ToolBlock>): Placed[] {
    const before = this.#calls.get(id);
    if (before === undefined) return [];
    const after = { index: before.index, block: { ...before.block, ...change } };
    this.#calls.set(id, after);
    return [after];
  }

  /** The run is over: what it left open stays as far as it came. */
  #cut(): Placed[] {
    const calls = [...this.#calls.values()].map(({ index, block }): Placed => {
      return { index, block: { ...block, status: 'error' } };
    });
    const text = this.#text;
    this.#text = null;
    this.#calls.clear();
    if (text === null) return calls;
    const block = { ...text.block, partial: false, truncated: true };
    return [{ index: text.index, block }, ...calls];
  }
}

function errorBlock(base: Base, { message, error_code }: Of<'run.error'>): Block {
  return { ...base, kind: 'notice', level: 'error', text: message, detail: error_code };
}
