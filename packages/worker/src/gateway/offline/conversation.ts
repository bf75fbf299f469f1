/** What was said in a conversation with a model, in no format's words. */
export type Said = {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Ids of the calls that the assistant made. */
  readonly calls: readonly string[];
  readonly results: readonly ToolResult[];
};

export type ToolResult = { readonly id: string; readonly text: string; readonly isError: boolean };

export type Conversation = {
  /** Names of the tools that are offered. */
  readonly tools: ReadonlySet<string>;
  readonly said: readonly Said[];
};

export type Call = {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
};

/** What the model says next. Without calls it has ended. */
export type Reply = { readonly text: string; readonly calls: readonly Call[] };

/** What happened since the model last ended, or since the start. */
export type Round = {
  /** From 1. */
  readonly number: number;
  /** Who the agent is, as far as that can be seen: its first message. */
  readonly task: string;
  /** What the user wrote in this round: the message that began it, and what came while it ran. */
  readonly messages: readonly string[];
  readonly replies: number;
  /** Ids of the calls that were made. */
  readonly made: readonly string[];
  readonly results: readonly ToolResult[];
};

export function roundOf({ said }: Conversation): Round {
  const turns = joined(said);
  const ends = turns.flatMap((turn, at) => (hasEnded(turn) ? [at] : []));
  const since = turns.slice((ends.at(-1) ?? -1) + 1);
  const texts = (of: readonly Said[]): string[] =>
    of.filter(({ role, text }) => role === 'user' && text.trim() !== '').map(({ text }) => text);
  return {
    number: ends.length + 1,
    task: texts(turns)[0] ?? '',
    messages: texts(since),
    replies: since.filter(({ role }) => role === 'assistant').length,
    made: since.flatMap(({ calls }) => calls),
    results: since.flatMap(({ results }) => results),
  };
}

function hasEnded({ role, calls }: Said): boolean {
  return role === 'assistant' && calls.length === 0;
}

/** Some formats say each call by itself: what the assistant says in one go is one turn. */
function joined(said: readonly Said[]): Said[] {
  const turns: Said[] = [];
  for (const next of said) {
    const last = turns.at(-1);
    if (next.role === 'assistant' && last?.role === 'assistant') {
      const text = [last.text, next.text].filter((each) => each !== '').join('\n');
      turns[turns.length - 1] = { ...last, text, calls: [...last.calls, ...next.calls] };
    } else turns.push(next);
  }
  return turns;
}
