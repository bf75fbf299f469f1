import { createHash, randomUUID } from 'node:crypto';
import type { AgentEvent } from '@filepath/protocol';
import { cutMiddle, failed, type LoopTool } from '@filepath/loop';
import type { Inbox } from './inbox.ts';

const MAX_PROMPT = 8_000;

/**
 * Tools that ask a person before they change something. A yes holds for the very bytes that were asked about, as long as
 * this process lives: one byte more and it is asked again.
 */
export function asking(
  tools: readonly LoopTool[],
  inbox: Inbox,
  emit: (event: AgentEvent) => void,
): LoopTool[] {
  const allowed = new Set<string>();
  return tools.map((tool) =>
    tool.readOnly
      ? tool
      : {
          ...tool,
          async run(input, context) {
            const asked = JSON.stringify({ tool: tool.name, input });
            const hash = createHash('sha256').update(asked).digest('hex');
            if (!allowed.has(hash)) {
              const id = `dec_${randomUUID()}`;
              const prompt = `Allow ${tool.name}? ${cutMiddle(JSON.stringify(input), MAX_PROMPT)}`;
              const answer = inbox.decision(id, context.signal);
              emit({ type: 'decision', id, prompt, options: ['allow', 'deny'], hash });
              emit({ type: 'status', state: 'running', reason: 'waits for a decision' });
              const choice = await answer;
              if (choice !== 'allow') return failed('A person did not allow this call.');
              allowed.add(hash);
            }
            return tool.run(input, context);
          },
        },
  );
}
