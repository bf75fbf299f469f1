import { DecisionMessage, SignalMessage } from '../fap/input.ts';
import { Attachments } from '../thread/attachments.ts';
import type { Base, Block } from './block.ts';
import { z } from 'zod';

/** What a person, a parent or the control plane put into the thread; null for a body not known here. */
export function controlBlock(
  base: Base,
  from: 'user' | 'parent' | 'system',
  body: unknown,
): Block | null {
  const message = Message.safeParse(body);
  if (message.success) {
    const { content } = message.data;
    const { attachments } = WithFiles.safeParse(body).data ?? {};
    const files = attachments === undefined ? {} : { attachments };
    const child = from === 'system' ? (FromChild.safeParse(body).data?.child ?? null) : null;
    return { ...base, kind: 'message', from: child ? 'child' : from, child, content, ...files };
  }
  const signal = Signal.safeParse(body);
  if (signal.success) {
    return {
      ...base,
      kind: 'notice',
      level: 'info',
      ...signalWords(from, signal.data.action, body),
    };
  }
  const answer = answerIn(body);
  if (answer === null) return null;
  return {
    ...base,
    kind: 'notice',
    level: 'info',
    text: `answered: ${answer.choice}`,
    detail: null,
  };
}

function signalWords(
  from: string,
  action: z.infer<typeof Signal>['action'],
  body: unknown,
): { text: string; detail: string | null } {
  const { until, reason = null } = PauseWords.safeParse(body).data ?? {};
  if (action !== 'handoff') return { text: ASKED[action], detail: pauseDetail(body) };
  if (from === 'system') return { text: 'handed off by filepath', detail: reason };
  const words = `by a person; if the agent has not by ${until}, filepath does`;
  return { text: ASKED[action], detail: until === undefined ? null : words };
}

/** Why it is paused, and until when, unless the reason says so. */
function pauseDetail(body: unknown): string | null {
  const { reason, until } = PauseWords.safeParse(body).data ?? {};
  const told = until === undefined || reason?.includes(until) === true;
  const words = [reason, told ? undefined : `until ${until}`];
  return words.filter((word) => word !== undefined).join(', ') || null;
}

/** What a person has decided, or null. */
export function answerIn(body: unknown): z.infer<typeof Answer> | null {
  return Answer.safeParse(body).data ?? null;
}

/** A log may be older or newer than this reader: of its bodies only what is shown is required. */
const Message = z.looseObject({ type: z.literal('message'), content: z.string() });
const WithFiles = z.looseObject({ attachments: Attachments });
const FromChild = z.looseObject({
  from: z.literal('child'),
  child: z.object({ id: z.string(), name: z.string() }),
});
const Signal = z.looseObject({
  type: z.literal('signal'),
  action: z.enum([...SignalMessage.shape.action.options, 'restart']),
});
const Answer = z.looseObject({ ...DecisionMessage.shape, rule: z.string().optional() });
const PauseWords = z.looseObject({ reason: z.string().optional(), until: z.string().optional() });

const ASKED: Record<z.infer<typeof Signal>['action'], string> = {
  stop: 'asked to stop',
  pause: 'asked to pause',
  resume: 'asked to resume',
  handoff: 'asked to hand off',
  restart: 'asked to start again',
};
