import type { WireFormat } from '@filepath/protocol';
import { generateText, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { answerOffline } from '../../../src/gateway/offline/answer-offline.ts';
import { FORMATS, offline } from './asked.ts';

function bodyOf(format: WireFormat): object {
  const said = [{ role: 'user', content: 'hello' }];
  return format === 'openai-responses' ? { input: said } : { messages: said };
}

describe.each(FORMATS)('offline/demo, asked in the format %s', (format) => {
  it('[OFF9] says and counts the same, streamed or whole', async () => {
    const asked = {
      model: offline(format),
      prompt: 'hello',
      maxOutputTokens: 4096,
      maxRetries: 0,
    };
    const whole = await generateText(asked);
    const streamed = streamText(asked);
    const deltas: string[] = [];
    for await (const delta of streamed.textStream) deltas.push(delta);
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.join('')).toBe(whole.text);
    expect(await streamed.finishReason).toBe('stop');
    const { inputTokens, outputTokens } = await streamed.totalUsage;
    expect(outputTokens).toBe(Math.ceil(whole.text.length / 4));
    expect(whole.totalUsage.outputTokens).toBe(outputTokens);
    expect(inputTokens).toBeGreaterThan(0);
  });

  it('[OFF9] names itself as the model, whatever was asked for', async () => {
    const body = { ...bodyOf(format), model: 'claude-sonnet-4' };
    const answer = answerOffline({ format, body, stream: false });
    expect(await answer.json()).toMatchObject({ model: 'offline/demo' });
  });

  it('[OFF9] says the same when it is asked again', async () => {
    const model = offline(format);
    const twice = await Promise.all(
      [1, 2].map(() => generateText({ model, prompt: 'hello', maxOutputTokens: 4096 })),
    );
    expect(twice[0]?.text).toBe(twice[1]?.text);
  });

  it('[OFF9] says the same whatever a program tells it in between', async () => {
    const say = async (more: readonly object[]) => {
      const said = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }, ...more];
      const body = format === 'openai-responses' ? { input: said } : { messages: said };
      const answer = answerOffline({ format, body, stream: false });
      expect(answer.status).toBe(200);
      return JSON.stringify(await answer.json())
        .match(/offline\/demo[^"]*key[^"]*/g)
        ?.at(-1);
    };
    const told = { role: 'system', content: [{ type: 'text', text: 'The tools are these.' }] };
    const alone = await say([]);
    expect(alone).toContain('Shelley and Pi');
    expect(await say([told])).toBe(alone);
  });

  it('[OFF9] counts what is asked as it reports it', async () => {
    const body = bodyOf(format);
    const whole = await answerOffline({ format, body, stream: false }).json();
    const path = '/v1/messages/count_tokens';
    const counted = await answerOffline({ format, path, body, stream: false }).json();
    const { input_tokens: tokens } = counted as { readonly input_tokens: number };
    expect(tokens).toBe(Math.ceil(JSON.stringify(body).length / 4));
    expect(JSON.stringify(whole)).toMatch(new RegExp(`(input|prompt)_tokens":${tokens},`));
  });

  it('[OFF10] has nothing at other paths', async () => {
    const path = '/v1/embeddings';
    const answer = answerOffline({ format, path, body: bodyOf(format), stream: false });
    expect(answer.status).toBe(404);
    expect(JSON.stringify(await answer.json())).toContain(path);
  });

  it.each([null, 'text', 7, [], {}, { messages: [] }, { messages: 'x', input: [] }])(
    '[OFF10] refuses what is no request in the words of the format: %j',
    async (body) => {
      const answer = answerOffline({ format, body, stream: true });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        error: { type: 'invalid_request_error', message: expect.stringContaining('offline/demo') },
      });
    },
  );
});
