import type { WireFormat } from '@filepath/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Changes, editBody } from '../../../src/gateway/body/edit-body.ts';
import { at } from '../../../src/gateway/meter/usage.ts';
import { readRequestBody, type RequestBody } from '../../../src/gateway/body/request-body.ts';

const NOTHING: Changes = { model: 'm', limit: null, limitKey: 'max_tokens', usage: false };

function read(format: WireFormat, text: string): RequestBody {
  const body = readRequestBody(format, new TextEncoder().encode(text));
  if ('problem' in body) throw new Error(body.problem);
  return body;
}

function edited(format: WireFormat, text: string, changes: Partial<Changes>): string {
  const bytes = editBody(format, read(format, text), { ...NOTHING, ...changes });
  return new TextDecoder().decode(bytes);
}

const anyBody = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('tools', 'messages', 'temperature')),
  fc.jsonValue(),
  { noNullPrototype: true },
);

describe('[GW5] a body on its way', () => {
  it('is the same bytes where nothing is to be changed', () => {
    const body = read(
      'anthropic',
      '{ "model":"m", "max_tokens":1e3, "n": 1, "big":12345678901234567890 }',
    );
    expect(editBody('anthropic', body, NOTHING)).toBe(body.bytes);
  });

  it('is changed at its places only, whatever else is in it', () => {
    fc.assert(
      fc.property(anyBody, fc.boolean(), fc.boolean(), (rest, named, limited) => {
        const value = {
          ...rest,
          ...(named ? { model: 'm' } : {}),
          ...(limited ? { max_tokens: 9000 } : {}),
          stream: true,
        };
        for (const key of ['n', 'N', 'stream_options', 'max_completion_tokens'])
          Reflect.deleteProperty(value, key);
        if (!named) Reflect.deleteProperty(value, 'model');
        if (!limited) Reflect.deleteProperty(value, 'max_tokens');
        const out = edited('openai-chat', JSON.stringify(value), {
          model: 'p/m',
          limit: 2048,
          usage: true,
        });
        const expected = {
          ...value,
          model: 'p/m',
          max_tokens: 2048,
          stream_options: { include_usage: true },
        };
        expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  it('keeps numbers, order and white space of everything else', () => {
    const text = '{"big":12345678901234567890,"z":1.0, "model" : "m" ,"a":"\\u00e9"}';
    expect(edited('anthropic', text, { model: 'x', limit: 1024 })).toBe(
      '{"max_tokens":1024,"big":12345678901234567890,"z":1.0, "model" : "x" ,"a":"\\u00e9"}',
    );
  });

  it('adds to an empty object', () => {
    expect(edited('openai-responses', '{ }', { model: 'x' })).toBe('{"model":"x" }');
  });

  it.each([
    ['{"stream":true}', { include_usage: true }],
    ['{"stream":true,"stream_options":null}', { include_usage: true }],
    ['{"stream":true,"stream_options":{}}', { include_usage: true }],
    ['{"stream":true,"stream_options":{ "x":1 }}', { include_usage: true, x: 1 }],
    ['{"stream":true,"stream_options":{"include_usage":false}}', { include_usage: false }],
    ['{"stream":false}', undefined],
    ['{}', undefined],
  ])('asks for the usage of a streamed chat, unless it says so itself: %s', (text, options) => {
    const out: unknown = JSON.parse(edited('openai-chat', text, { model: '', usage: true }));
    expect(at(out, 'stream_options')).toEqual(options);
  });

  it('lowers both limits of a chat', () => {
    const text = '{"max_tokens":5000,"max_completion_tokens":9000}';
    const out = edited('openai-chat', text, { model: '', limit: 1500 });
    expect(out).toBe('{"max_tokens":1500,"max_completion_tokens":1500}');
  });
});

describe('[GW6] what is read of a body', () => {
  it.each([
    ['two names of a model', '{"model":"a","model":"b"}'],
    ['two limits by an escape', '{"max_tokens":1,"max_t\\u006fkens":2}'],
    ['a limit in large letters', '{"max_tokens":10,"Max_Tokens":100000}'],
    ['a limit with a long s', '{"max_tokens":10,"max_token\u017f":100000}'],
    ['a limit that is a text', '{"max_tokens":"100000"}'],
    ['a limit with a fraction', '{"max_tokens":1.5}'],
    ['a number of choices below 1', '{"n":0}'],
    ['a name of a model that is none', '{"model":{"a":1}}'],
    ['no object', '[1]'],
  ])('refuses %s', (_, text) => {
    expect(readRequestBody('openai-chat', new TextEncoder().encode(text))).toHaveProperty(
      'problem',
    );
  });

  it('takes null and numbers below 1 for no limit', () => {
    expect(read('openai-chat', '{"max_tokens":null}').limit).toBeNull();
    expect(read('openai-chat', '{"max_tokens":-1}').limit).toBeNull();
    expect(read('openai-chat', '{"max_tokens":1e3,"max_completion_tokens":2000}').limit).toBe(2000);
  });

  it('knows when a body refers to what the provider keeps', () => {
    const refers = (text: string) => read('openai-responses', text).beyond.elsewhere;
    expect(refers('{"previous_response_id":"resp_1"}')).toBe(true);
    expect(refers('{"previous_response_id":null,"input":[]}')).toBe(false);
  });
});
