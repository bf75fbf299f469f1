import { JobResult } from '@filepath/protocol';
import { cutMiddle, defineTool, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';

const TIMEOUT_MS = 90_000;
const Answer = z.union([z.object({ result: JobResult }), z.object({ job: z.string() })]);
const Refused = z.object({ error: z.object({ message: z.string() }) });

export function mergeChildTool({ gateway }: Kit): LoopTool {
  return defineTool({
    name: 'merge_child',
    description:
      "Merge what a child agent has committed into your branch. Your workspace is left alone: the answer says which commit to merge into it. In a conflict nothing is changed; with onConflict 'agent' it becomes the child's task.",
    input: z.object({
      id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      onConflict: z.enum(['tell', 'agent']).optional(),
    }),
    readOnly: false,
    async run({ id, onConflict = 'tell' }, { signal }) {
      const answer = await fetch(`${gateway.baseUrl}/agent/children/${id}/merge`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.apiKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ into: 'parent', onConflict }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const body: unknown = await answer.json();
      if (answer.status === 404) return { ok: false, text: 'There is no such child.' };
      if (!answer.ok) {
        const said = Refused.safeParse(body).data?.error.message;
        return { ok: false, text: said ?? `filepath answered ${answer.status} to the merge.` };
      }
      const known = Answer.parse(body);
      if ('result' in known) return words(known.result);
      return { ok: true, text: 'It takes longer than a minute. You are told how it ends.' };
    },
  });
}

function words(result: JobResult): { ok: boolean; text: string } {
  if (result.type === 'merged') {
    const { name, how, taken, commit } = result;
    if (how === 'none') return { ok: true, text: `You have all that ${name} committed.` };
    const next = taken ? 'Your workspace has it.' : `Run: git merge ${commit}`;
    return { ok: true, text: `The work of ${name} is merged as ${commit}. ${next}` };
  }
  if (result.type !== 'conflict') return { ok: false, text: 'The merge ended in another way.' };
  const files = result.files.map(({ path, hunks }) => [path, ...hunks].join('\n'));
  const next = result.hand
    ? `${result.name} has it as a task: merge again when it is done.`
    : `Ask again with onConflict 'agent' to make it a task of ${result.name}, or run: git merge ${result.from}`;
  const text = [`In conflict with your branch, nothing is changed. ${next}`, ...files].join('\n\n');
  return { ok: false, text: cutMiddle(text, 40_000) };
}
