import { z } from 'zod';
import { QueueBody, type QueuedMessage, SystemQueueStands } from '../thread/queue.ts';
import type { Base, NoticeBlock, QueuedBlock } from './block.ts';

/** A message takes its place in the thread when it is delivered. */
const Delivered = z.looseObject({ type: z.literal('message'), queued: z.string().optional() });

/** The messages that wait. They stand at the end of the thread until they are delivered or withdrawn. */
export class QueuedMessages {
  #byId = new Map<string, QueuedBlock>();

  blocks(): QueuedBlock[] {
    return [...this.#byId.values()];
  }

  /** One that came into the queue before the events that are taken. */
  seed({ id: message, seq, at, ...said }: QueuedMessage, state: QueuedBlock['state']): void {
    const base = { id: `e${seq}`, seq, at, verified: false };
    this.#byId.set(message, { ...base, kind: 'queued', message, ...said, state });
  }

  /** True: the event is about the queue alone. */
  take(base: Base, source: 'user' | 'parent' | 'system', body: unknown): boolean {
    if (source === 'system') return false;
    const delivered = Delivered.safeParse(body);
    if (delivered.success) {
      this.#byId.delete(delivered.data.queued ?? '');
      this.#each('waiting');
      return false;
    }
    const parsed = source === 'user' ? QueueBody.safeParse(body) : undefined;
    if (parsed?.success !== true) return false;
    const { data } = parsed;
    switch (data.type) {
      case 'queued': {
        const { type: _type, id: message, ...said } = data;
        this.#byId.set(message, { ...base, kind: 'queued', message, ...said, state: 'waiting' });
        return true;
      }
      case 'requeued': {
        const before = this.#byId.get(data.id);
        if (before) this.#byId.set(data.id, { ...before, content: data.content });
        return true;
      }
      case 'withdrawn':
        this.#byId.delete(data.id);
        return true;
    }
  }

  /** A stop has left them standing. */
  stand(base: Base, body: unknown): NoticeBlock | null {
    const parsed = SystemQueueStands.safeParse(body);
    if (!parsed.success) return null;
    this.#each('standing');
    const { messages } = parsed.data;
    const what = messages === 1 ? '1 message stays' : `${messages} messages stay`;
    const text = `${what} in the queue`;
    const detail = 'after a stop nothing goes by itself: the queue goes on when a later run ends';
    return { ...base, kind: 'notice', level: 'info', text, detail };
  }

  #each(state: QueuedBlock['state']): void {
    for (const [id, block] of this.#byId) {
      if (block.state !== state) this.#byId.set(id, { ...block, state });
    }
  }
}
