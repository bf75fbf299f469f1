import type { ClientContext } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { recordOf } from './facts.ts';
import type { AcpSession } from './session.ts';

/** False: the program takes nothing while it works, so that the message comes next. */
export type Steering = (text: string) => Promise<boolean>;

const Outcome = z.looseObject({ outcome: z.string() });

/** The extension by which a program takes a message into its running turn; null if it has none. */
export function steeringExtension(agent: ClientContext, session: AcpSession): Steering | null {
  const { supported } = recordOf(session.initialized._meta?.['steering']);
  if (supported !== true) return null;
  return async (text) => {
    const answer: unknown = await agent.request('_session/steering', {
      sessionId: session.id,
      prompt: textBlocks(text),
      // Without a turn to join it starts none by itself: the next turn is ours to begin.
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    });
    return Outcome.safeParse(answer).data?.outcome === 'injected';
  };
}

export function textBlocks(text: string): { type: 'text'; text: string }[] {
  return [{ type: 'text', text }];
}
