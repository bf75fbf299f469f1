import { newThreadId } from '@filepath/protocol';
import { Receipt, SkyEvent, type ToolReceipt } from '@filepath/protocol/sky';
import { z } from 'zod';
import type { UiChunk } from '../../../../src/liteclaw/answer.ts';
import { CHAT_MIGRATIONS } from '../../../../src/liteclaw/schema.ts';
import { SkyLog } from '../../../../src/liteclaw/sky-log.ts';
import type { ToolLimits } from '../../../../src/liteclaw/tools/budget.ts';
import type { ClawTool, ToolRules } from '../../../../src/liteclaw/tools/tool.ts';
import { ToolRun } from '../../../../src/liteclaw/tools/tool-run.ts';
import { migrate } from '../../../../src/storage/schema.ts';
import type { Sql } from '../../../../src/storage/sql.ts';
import { nodeHashing } from '../../../../src/thread/node-hashing.ts';
import { nodeSql } from '../../support/node-sql.ts';

export const LIMITS: ToolLimits = { calls: 8, bytes: 100_000, ms: 10_000 };

export function chatSql(): Sql {
  const sql = nodeSql();
  migrate(sql, CHAT_MIGRATIONS);
  return sql;
}

const Row = z.object({ source: z.string(), body: z.unknown() });

/** A run of a chat with these tools, in a log as the chat has it. */
export function runWith(
  tools: readonly ClawTool[],
  rules: ToolRules,
  limits: ToolLimits = LIMITS,
  sql: Sql = chatSql(),
  log = new SkyLog({ sql, hashing: nodeHashing, thread: newThreadId(), now: Date.now }),
) {
  const events = log.begin({ request: 'r', message: null, modelConfigId: 'test' });
  const chunks: UiChunk[] = [];
  let standing = rules;
  const { sha256 } = nodeHashing;
  const deps = {
    tools,
    rules: () => standing,
    limits,
    events,
    sha256,
    now: Date.now,
    room: 100_000,
  };
  const run = new ToolRun(deps, (chunk) => chunks.push(chunk));
  return {
    run,
    chunks,
    log,
    change: (next: ToolRules) => {
      standing = next;
    },
    /** As the loop calls a tool. */
    async call(
      name: string,
      input: unknown,
      id = crypto.randomUUID(),
      signal = new AbortController().signal,
    ) {
      run.hear({ type: 'tool-start', id, name, input });
      const tool = run.loopTools.find((one) => one.name === name);
      const fits = tool?.input.safeParse(input).success ?? false;
      const result =
        fits && tool ? await tool.run(input, { id, signal }) : { ok: false, text: 'does not fit' };
      run.hear({ type: 'tool-end', id, name, input, result, durationMs: 1 });
      return { ok: result.ok, output: result.text.startsWith('{') ? outputOf(result.text) : {} };
    },
    events: (): SkyEvent[] =>
      sql
        .all<{ json: string }>('SELECT json FROM log ORDER BY seq')
        .map(({ json }) => Row.parse(JSON.parse(json)))
        .filter(({ source }) => source === 'sky')
        .map(({ body }) => SkyEvent.parse(body)),
    receipts: (): ToolReceipt[] =>
      sql
        .all<{ body: string }>('SELECT body FROM receipts ORDER BY id')
        .map(({ body }) => Receipt.parse(JSON.parse(body)))
        .filter((receipt): receipt is ToolReceipt => receipt.type === 'receipt.tool'),
  };
}

const outputOf = (text: string) => z.record(z.string(), z.unknown()).parse(JSON.parse(text));
