import { modelFor } from '@filepath/loop';
import { describe, expect, it } from 'vitest';
import { charsFor, contextOf, type Said, SUMMARY_CAP } from '../../../src/liteclaw/context.ts';
import { ChatMemory, keptMessages } from '../../../src/liteclaw/memory.ts';
import { CHAT_MIGRATIONS } from '../../../src/liteclaw/schema.ts';
import { liteclawSettings } from '../../../src/liteclaw/settings.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { nodeSql } from '../support/node-sql.ts';

const NEVER = new AbortController().signal;

function newMemory() {
  const sql = nodeSql();
  migrate(sql, CHAT_MIGRATIONS);
  return new ChatMemory(sql);
}

const turns = (count: number, words = ''): Said[] =>
  Array.from({ length: count }, (_, at) => [
    { id: `u${at}`, role: 'user', parts: [{ type: 'text', text: `say ${at} ${words}` }] },
    { id: `a${at}`, role: 'assistant', parts: [{ type: 'text', text: `said ${at} ${words}` }] },
  ]).flat();

/** A model over a provider that answers every request with the same words, in one piece. */
function model(text: string) {
  const asked: string[] = [];
  const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } };
  const answering = modelFor({
    baseUrl: 'http://provider.invalid',
    apiKey: 'k',
    model: 'm',
    format: 'openai-chat',
    fetch: async (_, init) => {
      asked.push(await new Request('http://provider.invalid', init).text());
      return Response.json({ id: '1', object: 'chat.completion', model: 'm', choices: [choice] });
    },
  });
  return { asked, model: answering };
}

describe('[CLAW12] the summary', () => {
  it('takes in what is older than the last turns, once there is enough of it', async () => {
    const memory = newMemory();
    expect(memory.due(turns(9), 4)).toBeNull();
    const old = memory.due(turns(10), 4);
    expect(old?.map(({ id }) => id)).toEqual(turns(6).map(({ id }) => id));
    const { model: answering, asked } = model('The person is called Ada.');
    await memory.fold(old ?? [], answering, NEVER);
    expect(memory.summary).toBe('The person is called Ada.');
    expect(memory.rest(turns(10)).map(({ id }) => id)).toEqual(
      turns(10)
        .slice(12)
        .map(({ id }) => id),
    );
    expect(asked[0]).toContain('user: say 0');
  });

  it('hands the memory so far on, and stays under its cap whatever the model says', async () => {
    const memory = newMemory();
    const { model: answering, asked } = model(`kept ${'x'.repeat(20_000)}`);
    await memory.fold(turns(3), answering, NEVER);
    await memory.fold(turns(6).slice(6), answering, NEVER);
    expect(asked[1]).toContain('kept xxx');
    expect(memory.summary.length).toBeLessThanOrEqual(SUMMARY_CAP);
  });

  it('without a model keeps beginnings and ends, bounded over 10,000 messages', async () => {
    const memory = newMemory();
    for (let at = 0; at < 500; at += 1) await memory.fold(turns(10, 'z'.repeat(300)), null, NEVER);
    expect(memory.summary.length).toBeLessThanOrEqual(SUMMARY_CAP);
    expect(memory.summary).toContain('say 0');
  });

  it('a reset while it is written has the last word', async () => {
    const memory = newMemory();
    const { model: answering } = model('too late');
    const reset = new AbortController();
    const folding = memory.fold(turns(3), answering, reset.signal);
    reset.abort();
    memory.forget();
    await folding;
    expect(memory.summary).toBe('');
  });
});

describe('[CLAW12] what the model is sent', () => {
  const settings = liteclawSettings({ LITECLAW_MAX_CONTEXT_TOKENS: '4096' });

  it('fits the context, with the last message first in line', () => {
    const said = [...turns(50, 'w'.repeat(5_000)), ...turns(1, 'q'.repeat(60_000)).slice(0, 1)];
    const { system, messages } = contextOf(said, settings, {
      summary: 's'.repeat(9_000),
      goOn: false,
    });
    const contents = messages.map(({ content }) => (typeof content === 'string' ? content : ''));
    const all = contents.join('').length + system.length;
    expect(all).toBeLessThanOrEqual(Math.max(charsFor(settings), system.length + 2_000));
    expect(contents.at(-1)).toMatch(/^say 0 qqq/);
    expect(system).toContain('sss');
  });

  it('begins with a person, and asks to go on after an interruption', () => {
    const said = turns(2).slice(1);
    const { messages } = contextOf(said, settings, { summary: '', goOn: true });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages.at(-1)?.content).toContain('Go on exactly where it ended');
  });

  it('keeps more messages than the summary is behind', () => {
    for (const LITECLAW_TURNS of ['1', '25', '200']) {
      const one = liteclawSettings({ LITECLAW_TURNS });
      expect(keptMessages(one)).toBeGreaterThan((one.turns + 5) * 2);
    }
  });
});

describe('[CLAW3] the settings', () => {
  it('are the usual ones where what is set makes no sense', () => {
    const usual = liteclawSettings({});
    expect(usual).toMatchObject({ model: null, maxOutputTokens: 1024, turns: 25 });
    expect(
      liteclawSettings({
        LITECLAW_TURNS: '0',
        LITECLAW_MAX_OUTPUT_TOKENS: 'x',
        LITECLAW_MODEL: ' ',
      }),
    ).toEqual(usual);
    expect(liteclawSettings({ LITECLAW_MODEL: 'a/b' })).toMatchObject({ modelConfigId: 'a/b' });
  });
});
