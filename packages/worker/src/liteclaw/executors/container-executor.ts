import { Answer, type Question, ThreadId, type ToolDone, ToolWork } from '@filepath/protocol';
import { refusal } from '@filepath/protocol/sky';
import type { Result } from '../../result.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { Executor } from './executor.ts';

type Deps = {
  readonly chat: string;
  readonly workspace: Workspace;
  /** The runner of the chat's owner, or null. */
  readonly runner: () => { ask(question: Question): Promise<Result<string>> } | null;
};

/** A sandbox of the runner, on a copy of the workspace. What it changed there becomes the workspace. */
export function containerExecutor({ chat, workspace, runner }: Deps): Executor {
  return {
    async run(tool, args, { moved }) {
      const asked = runner();
      if (!asked) return refusal('no_executor', 'There is no runner for this chat.');
      const { generation } = workspace;
      const files = workspace.all();
      const work = ToolWork.parse({ thread: ThreadId.parse(chat), tool, args, files });
      const told = await asked.ask({ kind: 'tool', work });
      if (!told.ok) return refusal('no_executor', `The runner is away: ${told.error.message}.`);
      moved(told.value.length);
      const answer = Answer.parse(JSON.parse(told.value));
      if (answer.kind === 'failed') return refusal('no_executor', answer.reason.slice(0, 2_000));
      if (answer.kind !== 'tool')
        return refusal('no_executor', 'The runner spoke of other things.');
      const { ok, output, code, change } = answer.done;
      if (workspace.generation !== generation)
        return refusal('conflict', 'The workspace became another meanwhile. Do it again.');
      const full = keep(workspace, answer.done);
      if (full !== null) return refusal('workspace_full', full);
      return {
        ok,
        output: { ...output, workspace: workspace.generation },
        ...(code === undefined ? {} : { code }),
        ...(change && { change }),
      };
    },
  };
}

/** As files of another generation: a replay cannot know what a command made of them. */
function keep(workspace: Workspace, { changed, removed }: ToolDone): string | null {
  if (changed.length === 0 && removed.length === 0) return null;
  const gone = new Set(removed);
  const next = new Map(workspace.all().map(({ path, text }) => [path, text]));
  for (const path of gone) next.delete(path);
  for (const { path, text } of changed) next.set(path, text);
  return workspace.become([...next].map(([path, text]) => ({ path, text })));
}
