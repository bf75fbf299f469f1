import { expect, it } from 'vitest';
import { contextWindowOf } from '../../src/native/context-window.ts';

it.each([
  ['claude-sonnet-4', 200_000],
  ['anthropic/claude-haiku-4.5', 200_000],
  ['anthropic/claude-opus-4.8', 1_000_000],
  ['claude-sonnet-5-5', 1_000_000],
  ['openai/o3', 200_000],
  ['gpt-5', 400_000],
  ['openai/gpt-6.1-sol', 1_000_000],
  ['llama3.3', 128_000],
])('[LOOP8] the window of %s is %i', (model, tokens) => {
  expect(contextWindowOf(model, undefined)).toBe(tokens);
});

it('[LOOP8] a window that is configured counts, one that is no number does not', () => {
  expect(contextWindowOf('gpt-5', '32000')).toBe(32_000);
  expect(contextWindowOf('gpt-5', 'much')).toBe(400_000);
});
