import { z } from 'zod';

/** Of a frame of the SDK: which request it answers, and whether it is the last of it. */
const ResponseFrame = z.looseObject({
  type: z.literal('cf_agent_use_chat_response'),
  id: z.string(),
  done: z.boolean().optional(),
  error: z.boolean().optional(),
});

type Reader = { readonly id: string; send(text: string): void };

/** A reader that was told of a stream and says nothing for this long gets the end without the rest. */
const PATIENCE_MS = 3_000;

/**
 * Readers that were told of a stream, and have not said yet that they follow it. Until then nothing of it goes to them:
 * their word brings them the whole. The SDK forgets whom it told when the stream ends, and when an older connection of
 * the same reader is found to be closed; a reader who speaks after that would get the end alone, or parts twice.
 */
export class LateResumes {
  #find: (id: string) => Reader | undefined;
  /** Of the stream that is on its way, or was last: its frames as they were sent. */
  #stream: { request: string; frames: string[] } | null = null;
  /** Who was told of which request, by reader. */
  #told = new Map<string, string>();
  /** The end of a stream, by the reader who waits for it. */
  #held = new Map<string, { end: string[]; timer: ReturnType<typeof setTimeout> }>();

  constructor(find: (id: string) => Reader | undefined) {
    this.#find = find;
  }

  told(reader: string, request: string | null): void {
    if (request !== null) this.#told.set(reader, request);
  }

  gone(reader: string): void {
    this.#told.delete(reader);
    this.#take(reader);
  }

  /** A frame is about to go to everybody: whom it is kept from. */
  sent(text: string): readonly string[] {
    if (!text.includes('"cf_agent_use_chat_response"')) return [];
    const { success, data: frame } = ResponseFrame.safeParse(JSON.parse(text));
    if (!success) return [];
    if (this.#stream?.request !== frame.id) this.#stream = { request: frame.id, frames: [] };
    const late = [...this.#told].filter(([, request]) => request === frame.id).map(([id]) => id);
    if (frame.done !== true && frame.error !== true) this.#stream.frames.push(text);
    else for (const reader of late) this.#hold(reader, text);
    return late;
  }

  /** A reader's word. True: it came late, and has everything now. */
  answered(reader: Reader, request: string | undefined): boolean {
    this.#told.delete(reader.id);
    const end = this.#take(reader.id);
    if (end === null) return false;
    const frames = this.#stream?.request === request ? (this.#stream?.frames ?? []) : [];
    for (const text of [...frames, ...end]) reader.send(text);
    return true;
  }

  #hold(reader: string, text: string): void {
    const held = this.#held.get(reader);
    if (held) held.end.push(text);
    else {
      const timer = setTimeout(() => this.#giveUp(reader), PATIENCE_MS);
      this.#held.set(reader, { end: [text], timer });
    }
  }

  #take(reader: string): string[] | null {
    const held = this.#held.get(reader);
    if (!held) return null;
    clearTimeout(held.timer);
    this.#held.delete(reader);
    return held.end;
  }

  #giveUp(reader: string): void {
    this.#told.delete(reader);
    const end = this.#take(reader);
    const found = this.#find(reader);
    try {
      for (const text of end ?? []) found?.send(text);
    } catch {
      // It has left.
    }
  }
}
