import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  AgentEvent,
  AgentInput,
  AgentToRunner,
  AgentToWorker,
  ControlToRunner,
  ControlToWorker,
  GatewayBody,
  issuesOf,
  type Issue,
  Order,
  parseAgentLine,
  Receipt,
  RunnerBody,
} from '../src/index.ts';
import { SkyEvent, SkyMessage, SkyRole } from '../src/sky/index.ts';
import { type Example, examples, lineOf } from './corpus.ts';

describe('FAP events', () => {
  const found = examples('fap');
  covers(found, typesOf(AgentEvent.options));

  for (const example of found) {
    it(`[FAP1] ${example.name} parses and keeps every key`, () => {
      const parsed = parseAgentLine(JSON.stringify(example.value));
      expect(parsed).toMatchObject({
        ok: true,
        body: example.value,
        event: { type: example.type },
      });
    });
    for (const { why, line, path, reason } of example.broken) {
      it(`[FAP2] ${example.name}: ${why}`, () => {
        const parsed = parseAgentLine(lineOf(line));
        expect(parsed).toEqual({ ok: false, path, reason: expect.stringContaining(reason) });
      });
    }
  }
});

describe('FAP inputs', () => {
  const found = examples('fap-input');
  covers(found, typesOf(AgentInput.options));
  covers(
    found.filter((example) => example.type === 'signal').map((example) => variantAsType(example)),
    ['stop', 'pause', 'resume', 'handoff'],
  );
  checks(found, () => AgentInput, '[FAP7]');
});

describe('Sky events and receipts', () => {
  const found = examples('sky');
  covers(found, [...typesOf(SkyEvent.options), ...typesOf(Receipt.options)]);
  checks(found, ({ type }) => (type.startsWith('receipt.') ? Receipt : SkyEvent), '[SKY1] [LOG8]');
});

describe('messages of Sky', () => {
  const found = examples('sky-message');
  covers(found, SkyRole.options);
  checks(found, () => SkyMessage, '[SKY4]');
});

describe('what the gateway tells', () => {
  const found = examples('gateway');
  covers(found, typesOf(GatewayBody.options));
  checks(found, () => GatewayBody, '[LED15]');
});

describe('link frames', () => {
  const frames = {
    'control-to-worker': ControlToWorker,
    'control-to-runner': ControlToRunner,
    'agent-to-worker': AgentToWorker,
    'agent-to-runner': AgentToRunner,
  };
  const found = examples('link');
  covers(
    found,
    Object.entries(frames).flatMap(([direction, schema]) =>
      schema.options.map((option) => `${direction}.${option.shape.t.value}`),
    ),
  );
  covers(
    found.filter((example) => example.type.endsWith('.order')).map(variantAsType),
    Order.options.map((option) => option.shape.kind.value),
  );
  covers(
    found.filter((example) => example.type.endsWith('.observed')).map(variantAsType),
    typesOf(RunnerBody.options),
  );
  checks(
    found,
    ({ type }) => {
      const schema = Object.entries(frames).find(([name]) => type.startsWith(`${name}.`))?.[1];
      if (schema === undefined) throw new Error(`${type} names no direction of the link`);
      return schema;
    },
    '[LINK1]',
  );
});

/** File names map to types, and every type has a file. */
function covers(found: Example[], types: string[]): void {
  it.each(types)('has an example of %s', (type) => {
    expect(found.map((example) => example.type)).toContain(type);
  });
  it.each(found)('$name is named after a type that exists', ({ type }) => {
    expect(types).toContain(type);
  });
}

function checks(found: Example[], schemaOf: (example: Example) => z.ZodType, rule: string): void {
  for (const example of found) {
    const schema = schemaOf(example);
    it(`${rule} ${example.name} parses and loses nothing`, () => {
      expect(schema.parse(example.value)).toEqual(example.value);
    });
    for (const { why, line, path, reason } of example.broken) {
      it(`${rule} ${example.name}: ${why}`, () => {
        const parsed = schema.safeParse(line);
        const first: Issue | undefined = parsed.success ? undefined : issuesOf(parsed.error)[0];
        expect(first).toEqual({ path, reason: expect.stringContaining(reason) });
      });
    }
  }
}

function variantAsType(example: Example): Example {
  return { ...example, type: example.name.split('.').at(-1) ?? '' };
}

function typesOf(options: readonly { shape: { type: { value: string } } }[]): string[] {
  return options.map((option) => option.shape.type.value);
}
