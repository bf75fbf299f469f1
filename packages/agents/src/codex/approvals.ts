import { z } from 'zod';
import { short } from '../driver/journal.ts';
import type { Surroundings } from '../driver/program.ts';
import type { Item } from './notifications.ts';

const CommandApproval = z.looseObject({
  itemId: z.string(),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  reason: z.string().nullish(),
});
const FileApproval = z.looseObject({ itemId: z.string(), reason: z.string().nullish() });
const UserInput = z.looseObject({
  questions: z.array(
    z.looseObject({
      id: z.string(),
      question: z.string(),
      options: z.array(z.looseObject({ label: z.string() })).nullish(),
    }),
  ),
});

type With = Pick<Surroundings, 'decisions' | 'permissions'>;

/** The answer to a request of codex. `itemOf` finds the item that it is about. */
export async function answer(
  method: string,
  params: unknown,
  itemOf: (id: string) => Item | undefined,
  surroundings: With,
): Promise<unknown> {
  switch (method) {
    case 'item/commandExecution/requestApproval': {
      const { command, cwd, reason, itemId } = CommandApproval.parse(params);
      const cmd = command ?? itemOf(itemId)?.command ?? '';
      const why = reason ? `\n(${reason})` : '';
      return decide(`Run this command?\n${short(cmd, 4000)}${why}`, { cmd, cwd }, surroundings);
    }
    case 'item/fileChange/requestApproval': {
      const { itemId, reason } = FileApproval.parse(params);
      const changes = itemOf(itemId)?.changes ?? [];
      const paths = changes.map(({ path, kind }) => `${kind.type} ${path}`).join('\n');
      const prompt = `Change these files?\n${short(paths, 4000)}${reason ? `\n(${reason})` : ''}`;
      return decide(prompt, { changes }, surroundings);
    }
    case 'item/tool/requestUserInput':
      return { answers: await answers(UserInput.parse(params), surroundings) };
    case 'mcpServer/elicitation/request':
      return { action: 'decline', content: null, _meta: null };
    default:
      throw new Error(`${method} is not supported`);
  }
}

async function decide(prompt: string, subject: unknown, { decisions, permissions }: With) {
  const allowed = permissions === 'allow' || (await decisions.permit(prompt, subject));
  return { decision: allowed ? 'accept' : 'decline' };
}

async function answers({ questions }: z.infer<typeof UserInput>, { decisions }: With) {
  const given: Record<string, { answers: string[] }> = {};
  for (const { id, question, options } of questions) {
    const labels = (options ?? []).map(({ label }) => label);
    const choice =
      labels.length === 0
        ? null
        : await decisions.ask({ prompt: question, options: labels, subject: { question, labels } });
    given[id] = { answers: choice === null ? [] : [choice] };
  }
  return given;
}
