import { parseArgs } from 'node:util';
import { type JobResult, MergeCreate } from '@filepath/protocol';
import type { Io } from '../io.ts';
import { oneNode, runningClient } from '../the-instance.ts';
import { UsageError, withUsage } from '../usage.ts';

const USAGE = `Usage: filepath merge NODE [--into parent|session] [--mode ff|merge] [--resolve]

Merges what an agent has committed into its parent's branch, or into the session's; that of a root goes into the session's.
With --resolve a conflict becomes the agent's task.`;

export async function merge(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        into: { type: 'string' },
        mode: { type: 'string' },
        resolve: { type: 'boolean' },
      },
    });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const node = oneNode(positionals);
    const wanted = MergeCreate.safeParse({
      ...(values.into === undefined ? {} : { into: values.into }),
      ...(values.mode === undefined ? {} : { mode: values.mode }),
      onConflict: values.resolve ? 'agent' : 'tell',
    });
    if (!wanted.success) throw new UsageError('There is no such way to merge.');
    return tell(await runningClient(io).node.merge(node, wanted.data), io);
  });
}

function tell(result: JobResult | null, io: Io): number {
  if (result === null) {
    io.err('The merge goes on: the thread says how it ends.');
    return 0;
  }
  if (result.type === 'merged') {
    const { name, target, how, commit, into, taken } = result;
    io.out(
      how === 'none'
        ? `${target} has the work of ${name}`
        : `merged ${name} into ${target} as ${commit}`,
    );
    if (into === 'parent' && !taken) {
      io.err(
        `The workspace of ${target} does not have it yet: it is at work or has changes. It is tried again when its run ends, and it is told to run: git merge ${commit}`,
      );
    }
    return 0;
  }
  if (result.type === 'conflict') {
    io.err(`The work of ${result.name} conflicts with ${result.target}. Nothing is changed.`);
    for (const { path } of result.files) io.out(JSON.stringify(path));
    if (result.hand) {
      io.err(
        `${result.name} has it as a task. The merge is asked for again when its run ends; the thread says how it ends.`,
      );
    }
    return 1;
  }
  io.err(result.type === 'job_failed' ? result.reason : 'The merge ended in another way.');
  return 1;
}
