import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { WireFormat } from '@filepath/protocol';
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  isStepCount,
  type ToolSet,
} from 'ai';
import { answerOffline } from '../../../src/gateway/offline/answer-offline.ts';

export const FORMATS: readonly WireFormat[] = ['anthropic', 'openai-chat', 'openai-responses'];

/** The built-in model, behind clients that others have written. */
export function offline(format: WireFormat): LanguageModel {
  const fetch = (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    const body: unknown = JSON.parse(String(init?.body));
    const stream = (body as { readonly stream?: boolean }).stream === true;
    return Promise.resolve(answerOffline({ format, body, stream }));
  };
  const settings = { baseURL: 'http://localhost/v1', apiKey: 'none', fetch };
  if (format === 'anthropic') return createAnthropic(settings)('offline/demo');
  if (format === 'openai-responses') return createOpenAI(settings)('offline/demo');
  return createOpenAICompatible({ ...settings, name: 'offline', includeUsage: true })(
    'offline/demo',
  );
}

type Input = Readonly<Record<string, unknown>>;

/** What a tool answers. */
export type Tools = Readonly<Record<string, (input: Input) => string>>;

export type Told = {
  readonly text: string;
  readonly texts: readonly string[];
  /** Names of the tools, then their inputs. */
  readonly calls: readonly (readonly [name: string, input: Input])[];
  readonly steps: number;
  readonly messages: readonly ModelMessage[];
};

/** One round: the model and its tools until it has ended. */
export async function tell(
  format: WireFormat,
  tools: Tools,
  messages: readonly ModelMessage[],
): Promise<Told> {
  const calls: [string, Input][] = [];
  const set: ToolSet = Object.fromEntries(
    Object.entries(tools).map(([name, run]) => [
      name,
      {
        description: name,
        inputSchema: jsonSchema<Input>({ type: 'object' }),
        execute: (input: Input) => {
          calls.push([name, input]);
          return run(input);
        },
      },
    ]),
  );
  const result = await generateText({
    model: offline(format),
    messages: [...messages],
    tools: set,
    stopWhen: isStepCount(50),
    maxOutputTokens: 4096,
    maxRetries: 0,
  });
  return {
    text: result.text,
    texts: result.steps.map(({ text }) => text),
    calls,
    steps: result.steps.length,
    messages: [...messages, ...result.responseMessages],
  };
}

export function user(content: string): ModelMessage {
  return { role: 'user', content };
}

/** A repository as Shelley's tools show it. */
export function engineersTools(files: readonly string[], repository = true): Tools {
  return {
    list_files: () => (files.length === 0 ? 'Nothing is there.' : files.join('\n')),
    read_file: () => '1\t# A garden\n2\t\n3\tRoses and bees.',
    search: () => 'README.md:1:# A garden',
    git: ({ action }) => {
      if (action === 'commit') return '[main 1a2b3c4] docs: add a note by the demo script';
      if (!repository) return 'git ended with 128: fatal: not a git repository';
      return action === 'log' ? '1a2b3c4 2026-01-01 ann begin' : '## main';
    },
    write_file: ({ path }) => `Created ${String(path)} (400 bytes).`,
    bash: () => 'exit 0\nstdout:\nLinux x86_64',
    spawn_agent: ({ name }) => `Started ${JSON.stringify(name)} (shelley) as th_1.`,
    wait_children: () =>
      'node_a "demo reader" shelley: done\n  I read "all" of it\nnode_b "demo writer" shelley: done (well)',
    read_child_messages: () =>
      'parent: read\n\nagent: I look.\n\nagent: My report: roses.\n\n> bees',
  };
}

export function researchersTools(files: readonly string[]): Tools {
  const { list_files, read_file, search, git, spawn_agent } = engineersTools(files);
  return Object.fromEntries(
    Object.entries({ list_files, read_file, search, git, spawn_agent }).flatMap(([name, run]) =>
      run ? [[name, run]] : [],
    ),
  );
}
