import { z } from 'zod';
import { type Answer, type Format, type Frame, pieces, sse } from './format.ts';
import type { ModelMessage } from './request.ts';

const Part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown() }),
  functionResponse: z.looseObject({
    id: z.string().optional(),
    name: z.string(),
    response: z.record(z.string(), z.unknown()),
  }),
});
const Content = z.looseObject({
  role: z.string().optional(),
  parts: z.array(Part.partial()).default([]),
});

const Body = z.looseObject({
  contents: z.array(Content),
  systemInstruction: Content.optional(),
  tools: z
    .array(
      z
        .looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })) })
        .partial(),
    )
    .optional(),
  generationConfig: z.looseObject({ maxOutputTokens: z.int().optional() }).optional(),
});

/** What a request names in its path: `/v1beta/models/NAME:streamGenerateContent`. */
const Place = z.looseObject({ model: z.string(), stream: z.boolean() });

const METHOD = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** The model that a path names, and whether the answer is a stream; null for other paths. */
export function googlePlace(path: string): z.infer<typeof Place> | null {
  const [, model, method] = METHOD.exec(path) ?? [];
  return model === undefined ? null : { model, stream: method === 'streamGenerateContent' };
}

type Parts = z.infer<typeof Content>['parts'];

const textOf = (parts: Parts): string =>
  parts.map(({ text = '', thought }) => (thought === true ? '' : text)).join('');

function toMessage({ role, parts }: z.infer<typeof Content>): ModelMessage {
  return {
    role: role === 'model' ? 'assistant' : 'user',
    text: textOf(parts),
    calls: parts.flatMap(({ functionCall: call }) =>
      call ? [{ id: call.id ?? call.name, name: call.name, input: call.args }] : [],
    ),
    results: parts.flatMap(({ functionResponse: result }) =>
      result
        ? [
            {
              id: result.id ?? result.name,
              name: result.name,
              text: JSON.stringify(result.response),
              isError: 'error' in result.response,
            },
          ]
        : [],
    ),
  };
}

function usageWords(counts: NonNullable<Answer['usage']>): object {
  const prompt = counts.input + counts.cacheRead + counts.cacheWrite;
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: counts.cacheRead,
    candidatesTokenCount: counts.output - counts.reasoning,
    thoughtsTokenCount: counts.reasoning,
    totalTokenCount: prompt + counts.output,
  };
}

function reasonOf({ turn }: Answer): string {
  if (turn.stop === 'length') return 'MAX_TOKENS';
  return turn.stop === 'refusal' ? 'SAFETY' : 'STOP';
}

/** One part of Google's answers: they have no events but these. */
function chunk(answer: Answer, parts: readonly object[], last: boolean): object {
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts },
        ...(last ? { finishReason: reasonOf(answer) } : {}),
      },
    ],
    modelVersion: answer.model,
    responseId: `scripted-${answer.id}`,
    ...(last && answer.usage ? { usageMetadata: usageWords(answer.usage) } : {}),
  };
}

function saidBy({ turn, calls }: Answer): object[] {
  return [
    ...pieces(turn.reasoning ?? '', turn.chunk).map((text) => ({ text, thought: true })),
    ...pieces(turn.text ?? '', turn.chunk).map((text) => ({ text })),
    ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
  ];
}

function frames(answer: Answer): Frame[] {
  return [
    ...saidBy(answer).map((part) => sse('delta', chunk(answer, [part], false))),
    {
      ...sse('close', chunk(answer, [], true)),
      ...(answer.usage ? { usage: true as const } : {}),
    },
  ];
}

/** Google's generateContent, as far as its own CLI uses it. */
export const google: Format = {
  read(body) {
    const read = Body.parse(body);
    return {
      ...Place.parse(body),
      system: textOf(read.systemInstruction?.parts ?? []),
      messages: read.contents.map(toMessage),
      tools: (read.tools ?? []).flatMap(({ functionDeclarations = [] }) =>
        functionDeclarations.map(({ name }) => name),
      ),
      maxOutput: read.generationConfig?.maxOutputTokens ?? null,
      includeUsage: true,
    };
  },
  whole: (answer) => chunk(answer, saidBy(answer), true),
  frames,
  error: ({ status, message }) => ({
    error: { code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'UNKNOWN' },
  }),
  errorFrame: (message) => sse('close', { error: { code: 503, message, status: 'UNAVAILABLE' } }),
};
