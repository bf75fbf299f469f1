import { amp } from './entries/amp.ts';
import { claudeCode } from './entries/claude-code.ts';
import { codex } from './entries/codex.ts';
import { cursor } from './entries/cursor.ts';
import { custom } from './entries/custom.ts';
import { gemini } from './entries/gemini.ts';
import { opencode } from './entries/opencode.ts';
import { pi } from './entries/pi.ts';
import { qwen } from './entries/qwen.ts';
import { shelley } from './entries/shelley.ts';
import type { AgentEntry } from './entry.ts';

/** The agents that filepath brings, in the order in which they are offered. */
export const CATALOG: readonly AgentEntry[] = [
  shelley,
  pi,
  claudeCode,
  codex,
  cursor,
  amp,
  opencode,
  gemini,
  qwen,
  custom,
];
