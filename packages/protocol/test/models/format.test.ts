import { describe, expect, it } from 'vitest';
import { formatFor, OFFLINE_MODEL } from '../../src/index.ts';

describe('the format for a model', () => {
  it.each([
    ['claude-sonnet-4', 'anthropic'],
    ['claude-sonnet-4-5-20250929', 'anthropic'],
    ['anthropic/claude-opus-4.5', 'anthropic'],
    ['openrouter/anthropic/claude-sonnet-4', 'anthropic'],
    ['Anthropic/Claude-Sonnet-4', 'anthropic'],
    ['o3', 'openai-responses'],
    ['o4-mini', 'openai-responses'],
    ['gpt-5.1-codex', 'openai-responses'],
    ['openai/gpt-5', 'openai-responses'],
    ['openai/o3', 'openai-responses'],
    ['openai/gpt-oss-120b', 'openai-chat'],
    ['openrouter/auto', 'openai-chat'],
    ['olmo-2', 'openai-chat'],
    ['google/gemini-3-pro', 'openai-chat'],
    ['ollama/llama3', 'openai-chat'],
    [OFFLINE_MODEL, 'openai-chat'],
    ['', 'openai-chat'],
  ])('[PRO1] %s is asked in %s', (model, format) => {
    expect(formatFor(model)).toBe(format);
  });
});
