import {
  type AttentionAnswer,
  Budget,
  FilepathError,
  issuesOf,
  MessageCreate,
  SessionId,
  ThreadId,
} from '@filepath/protocol';
import { z } from 'zod';
import type { Env } from '../env.ts';
import { unwrap } from '../result.ts';
import { signalNode } from '../routes/signals.ts';
import { answerConflict } from './conflict-answers.ts';
import type { WaitingRow } from './waiting-row.ts';
import { LEAVE } from './waiting-states.ts';

const GO_ON = 'Your process ended before the work was done. Go on from where you were.';

/** Of the agent with all below it, unless told. */
const Raise = z.strictObject({
  of: z.enum(['node', 'own', 'session', 'user']).optional(),
  budget: Budget,
});

/** Does what a person chose. Done twice it is harmless: a message has a key, a question one answer. */
export async function carryOutAnswer(
  env: Env,
  user: string,
  row: WaitingRow,
  { choice, input }: AttentionAnswer,
): Promise<void> {
  const id = ThreadId.parse(row.thread);
  const session = SessionId.parse(row.session);
  const thread = env.THREAD.getByName(id);
  if (row.question !== null) {
    const hash = row.hash === null ? {} : { hash: row.hash };
    const given = input === undefined ? {} : { input };
    unwrap(await thread.decide(user, row.question, { choice, ...hash, ...given }));
    return;
  }
  const key = `attention:${row.id}:${row.seq}`;
  if (row.kind === 'conflict') return answerConflict(env, user, { session, id, key }, choice);
  const say = async (content: string): Promise<void> => {
    unwrap(await thread.message(user, 'user', content, key));
  };
  switch (choice) {
    case 'restart':
      return say(GO_ON);
    case 'message':
      return say(inputOf(MessageCreate.shape.content, input));
    case 'resume now':
      return signalNode(env, user, session, id, { action: 'resume' });
    case 'stop':
      return signalNode(env, user, session, id, { action: 'stop' });
    case 'raise': {
      const { of = 'node', budget } = inputOf(Raise, input);
      const object = env.SESSION.getByName(session);
      if (of === 'user') unwrap(await env.USER.getByName(user).setBudget(budget, key));
      else if (of === 'session') unwrap(await object.setBudget(user, { budget }, key));
      else {
        const put = of === 'own' ? { own: budget } : { budget };
        unwrap(await object.setNodeBudget(user, id, put, key));
      }
      return;
    }
    // Nothing is to be done but to ask no more.
    case LEAVE:
  }
}

function inputOf<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error).map(({ path, reason }) => ({
    path: path === '(root)' ? 'input' : `input.${path}`,
    reason,
  }));
  throw new FilepathError('bad_request', 'this choice needs an input', issues);
}
