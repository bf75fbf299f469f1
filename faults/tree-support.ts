import { Node, Session } from '@filepath/protocol';
import type { Api, ModelRequest, Turn } from '@filepath/testkit';
import { z } from 'zod';

/** How many leaves each of the agents in the middle has: with them and the root, thirty agents. */
export const LEAVES = [5, 5, 5, 5, 4] as const;

const numbersTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

/** What every leaf says at its end. */
export const REPORTS: readonly string[] = LEAVES.flatMap((count, mid) =>
  numbersTo(count).map((leaf) => `<${mid + 1}.${leaf} ok>`),
);

export const NAMES: readonly string[] = [
  'root',
  ...LEAVES.map((_, mid) => `mid ${mid + 1}`),
  ...LEAVES.flatMap((count, mid) => numbersTo(count).map((leaf) => `leaf ${mid + 1}.${leaf}`)),
];

/** Of the root: all reports, each once, in order. */
export const RESULT = `all in: ${REPORTS.join(' ')}`;

type Call = NonNullable<Turn['tools']>[number];

const child = (name: string): Call => ({
  name: 'spawn_agent',
  input: { name, task: `You are ${name}.` },
});

const usage = { input: 100, output: 20 } as const;

/**
 * The model of all thirty: who it speaks for stands in the task, and what comes next follows from what that
 * conversation holds, so that a call that is made again after a kill gets the same answer.
 */
export function treeModel({ messages }: ModelRequest): Turn {
  const done = new Set(messages.flatMap(({ calls }) => calls).map(({ name }) => name));
  const [, kind = '', place = ''] =
    /You are (root|mid|leaf) ?([\d.]*)\./.exec(messages[0]?.text ?? '') ?? [];
  if (kind === 'leaf') return { ...leaf(place, done), usage };
  const names = kind === 'root' ? midNames() : leafNames(Number(place));
  if (!done.has('spawn_agent')) return { tools: names.map(child), usage };
  const heard = reportsIn(messages);
  const wanted = kind === 'root' ? REPORTS : REPORTS.filter((one) => one.startsWith(`<${place}.`));
  if (wanted.some((one) => !heard.has(one))) {
    return { tools: [{ name: 'wait_children', input: {} }], usage };
  }
  return { text: `all in: ${wanted.join(' ')}`, usage };
}

function leaf(place: string, done: ReadonlySet<string>): Turn {
  const path = `leaf-${place}.txt`;
  if (!done.has('write_file')) {
    return { tools: [{ name: 'write_file', input: { path, content: `${place}\n` } }] };
  }
  if (!done.has('git')) {
    return { tools: [{ name: 'git', input: { action: 'commit', message: `add ${path}` } }] };
  }
  return { text: `<${place} ok>` };
}

const midNames = (): string[] => LEAVES.map((_, mid) => `mid ${mid + 1}`);
const leafNames = (mid: number): string[] =>
  numbersTo(LEAVES[mid - 1] ?? 0).map((n) => `leaf ${mid}.${n}`);

/** The reports in what the agent was told since its task. */
function reportsIn(messages: ModelRequest['messages']): Set<string> {
  const told = messages.filter(({ role }) => role === 'user').slice(1);
  const texts = told.flatMap(({ text, results }) => [text, ...results.map((one) => one.text)]);
  return new Set(texts.join('\n').match(/<\d\.\d ok>/g));
}

export function newTree(
  api: Api,
  repository: string,
  model: string,
): Promise<{ session: Session; node: Node }> {
  return api.json(z.object({ session: Session, node: Node }), 'POST', '/api/session', {
    gitRepoUrl: repository,
    root: { name: 'root', agentType: 'shelley', model },
    // Far from it: but under a budget a call is written down before it is made.
    budget: { tokens: null, usd: 10_000 },
  });
}
