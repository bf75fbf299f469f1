import type { WireFormat } from '@filepath/protocol';

/** The format in which a model is asked, by its name. */
export function formatOf(model: string): WireFormat {
  if (/claude/i.test(model)) return 'anthropic';
  return /^(openai\/)?(gpt-|o\d|codex)/i.test(model) ? 'openai-responses' : 'openai-chat';
}
