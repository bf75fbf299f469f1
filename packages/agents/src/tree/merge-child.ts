import { JobResult, shownPath } from '@filepath/protocol';
import { cutMiddle, defineTool, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import { ChildId } from './child-id.ts';
import { askGateway, type TreeGateway } from './gateway.ts';

const TIMEOUT_MS = 90_000;
const MAX_TEXT = 40_000;
const Answer = z.union([z.object({ result: JobResult }), z.object({ job: z.string() })]);

export function mergeChild(gateway: TreeGateway): LoopTool {
  return defineTool({
    name: 'merge_child',
    description:
      "Merge what a child agent has committed into your branch. Your workspace is left alone: the answer says which commit to merge into it. In a conflict nothing is changed; with onConflict 'agent' it becomes the child's task.",
    input: z.object({ id: ChildId, onConflict: z.enum(['tell', 'agent']).optional() }),
    readOnly: false,
    async run({ id, onConflict = 'tell' }, { signal }) {
      const body = { into: 'parent', onConflict };
      const asked = { path: `children/${id}/merge`, body, timeoutMs: TIMEOUT_MS, signal };
      const known = Answer.parse(await askGateway(gateway, asked));
      if ('result' in known) return words(known.result);
      return { ok: true, text: 'It takes longer than a minute: ask again to see how it ended.' };
    },
  });
}

function words(result: JobResult): { ok: boolean; text: string } {
  if (result.type === 'merged') {
    const { name, how, taken, commit } = result;
    const next = taken ? 'Your workspace has it.' : `Run: git merge ${commit}`;
    if (how === 'none') return { ok: true, text: `Your branch has what ${name} did. ${next}` };
    return { ok: true, text: `The work of ${name} is merged as ${commit}. ${next}` };
  }
  if (result.type !== 'conflict') return { ok: false, text: 'The merge ended in another way.' };
  const files = result.files.map(({ path, hunks }) => [shownPath(path), ...hunks].join('\n'));
  const next = result.hand
    ? `${result.name} has it as a task: it is merged when that is done. If it conflicts again, a person is asked.`
    : `Ask again with onConflict 'agent' to make it a task of ${result.name}, or run: git merge ${result.from}`;
  const text = [`In conflict with your branch, nothing is changed. ${next}`, ...files].join('\n\n');
  return { ok: false, text: cutMiddle(text, MAX_TEXT) };
}
