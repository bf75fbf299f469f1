import { z } from 'zod';
import { short } from '../driver/journal.ts';
import type { Surroundings } from '../driver/program.ts';
import { MCP_NAME } from '../mcp/registration.ts';
import type { ControlRequestLine } from './lines.ts';

type Answer =
  | { behavior: 'allow'; updatedInput: Record<string, unknown> }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

const Questions = z.looseObject({
  questions: z
    .array(
      z.looseObject({
        question: z.string(),
        options: z.array(z.looseObject({ label: z.string() })).min(1),
      }),
    )
    .min(1),
});

/** Tools of filepath need no leave: what a child does is asked for by the child. */
const OURS = `mcp__${MCP_NAME}__`;

/** The answer to a CLI that asks whether it may use a tool. */
export async function permission(
  request: ControlRequestLine['request'],
  { decisions, permissions }: Pick<Surroundings, 'decisions' | 'permissions'>,
): Promise<Answer> {
  const { tool_name: tool = 'a tool', input = {} } = request;
  if (tool === 'AskUserQuestion') return answers(input, decisions);
  if (permissions === 'allow' || tool.startsWith(OURS)) return { behavior: 'allow', updatedInput: input };
  const allowed = await decisions.permit(promptFor(tool, input), { tool, input });
  return allowed
    ? { behavior: 'allow', updatedInput: input }
    : { behavior: 'deny', message: 'The person who was asked did not allow this.' };
}

function promptFor(tool: string, input: Record<string, unknown>): string {
  const command = input['command'];
  const path = input['file_path'];
  if (typeof command === 'string') return `Run this command?\n${short(command, 4000)}`;
  if (typeof path === 'string') return `${tool}: change ${path}?`;
  return `Use ${tool}?\n${short(JSON.stringify(input), 4000)}`;
}

/** A CLI's question to the person is a decision each. */
async function answers(
  input: Record<string, unknown>,
  decisions: Surroundings['decisions'],
): Promise<Answer> {
  const asked = Questions.safeParse(input);
  if (!asked.success) return { behavior: 'deny', message: 'The question could not be read.' };
  const given: Record<string, string> = {};
  for (const { question, options } of asked.data.questions) {
    const choice = await decisions.ask({
      prompt: question,
      options: options.map(({ label }) => label),
      subject: { question, options },
    });
    if (choice === null) return { behavior: 'deny', message: 'The question was withdrawn.' };
    given[question] = choice;
  }
  return { behavior: 'allow', updatedInput: { ...input, answers: given } };
}
