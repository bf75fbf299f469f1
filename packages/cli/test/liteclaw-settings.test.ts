import { expect, it } from 'vitest';
import { liteclawSettings } from '../src/liteclaw-settings.ts';

it('[CLAW3] hands on what is set for LiteClaw, and nothing else', () => {
  const set = { LITECLAW_MODEL: ' a/b ', LITECLAW_TURNS: '10', LITECLAW_SYSTEM_PROMPT: '' };
  expect(liteclawSettings({ ...set, LITECLAW_OTHER: 'x', PATH: '/bin' })).toEqual({
    LITECLAW_MODEL: 'a/b',
    LITECLAW_TURNS: '10',
  });
});

it.each([
  ['LITECLAW_TURNS', '0'],
  ['LITECLAW_TURNS', '201'],
  ['LITECLAW_TOOL_CALLS', '101'],
  ['LITECLAW_TOOL_BYTES', '104857601'],
  ['LITECLAW_WORKSPACE_DAYS', '0'],
  ['LITECLAW_MAX_OUTPUT_TOKENS', 'many'],
  ['LITECLAW_FIRST_BYTE_MS', '1e4'],
])('[CLAW3] refuses to start with %s=%s', (name, value) => {
  expect(() => liteclawSettings({ [name]: value })).toThrow(name);
});
