import type { Api, Instance, ModelServer } from '@filepath/testkit';
import { ChatClient, type Message, transcript, user } from './chat-support.ts';

/** Said in the third turn, and asked for in the last. */
const FACT = 'My dog is called Biscuit.';
const QUESTION = 'What is my dog called?';

export type LongChat = {
  /** Milliseconds of each turn, from the message to the end of its answer, on the clock that was given. */
  readonly turns: number[];
  /** Characters that the model was sent with each. */
  readonly sent: number[];
  /** The answer to the question of the last turn. */
  readonly recalled: string;
  /** Resident memory of the engine in MiB, now and then. */
  readonly memory: number[];
};

/** A model that knows what it is sent, and no more. Its summaries keep nothing of what was said. */
export function forgetful(server: ModelServer, sent: number[]): void {
  server.play({
    script: ({ system, messages, lastText }) => {
      if (system.startsWith('You keep the memory')) return { text: 'They spoke of numbers.' };
      const context = JSON.stringify([system, messages]);
      sent.push(context.length);
      if (!lastText.includes(QUESTION)) return { text: `Noted: ${lastText}`, chunk: 60 };
      const [, name = 'I do not know.'] = /dog is called (\w+)\./.exec(context) ?? [];
      return { text: name };
    },
  });
}

/** One chat of so many messages, half of them answers. The client sends what it has, as that of the SDK does. */
export async function longChat(
  parts: { instance: Instance; api: Api; id: string; server: ModelServer },
  messages: number,
  memoryOf: () => number = () => 0,
  clock: () => number = () => performance.now(),
): Promise<LongChat> {
  const { instance, api, id, server } = parts;
  const sent: number[] = [];
  forgetful(server, sent);
  const turns: number[] = [];
  const memory: number[] = [];
  const client = new ChatClient(instance, id);
  const count = messages / 2;
  let recalled = '';
  for (let turn = 1; turn <= count; turn += 1) {
    const known: Message[] = await transcript(api, id);
    const at = clock();
    const { text, error } = await client.say([...known, user(wordsOf(turn, count))]);
    if (error !== null) throw new Error(`turn ${turn}: ${error}`);
    turns.push(clock() - at);
    client.frames.length = 0;
    if (turn % Math.ceil(count / 20) === 0) memory.push(memoryOf());
    recalled = text;
  }
  client.close();
  return { turns, sent, recalled, memory };
}

function wordsOf(turn: number, count: number): string {
  if (turn === 3) return FACT;
  if (turn === count) return QUESTION;
  const filler = Array.from({ length: 24 }, (_, at) => `item${(turn * 31 + at * 7) % 997}`);
  return `Turn ${turn}: what do you think of ${filler.join(' ')}, and is it what it was?`;
}
