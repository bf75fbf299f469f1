import { HandoffEvent, type AgentInput } from '@filepath/protocol';
import { wordsInResult } from '../session/results.ts';
import type { Sql } from '../storage/sql.ts';
import { termsOf } from '../user/memory/words.ts';
import { readInputs } from './launch.ts';
import { handedOver } from './relay.ts';
import { bodyAt, lastRelay, messageAt, messagesBetween, taskOfWork } from './relay-facts.ts';
import type { ThreadState } from './state.ts';

/** Words that are asked for: far more than count. */
const MOST = 400;

/** What the waiting process is to work on, as memory is asked: words of people and agents, none of filepath's own. */
export function questionOf(sql: Sql, state: ThreadState): string {
  const { launch, seq } = state;
  const messages = readInputs(sql, launch.epoch, 0)
    .map(({ line }) => JSON.parse(line) as AgentInput)
    .filter((input) => input.type === 'message');
  const said = messages.filter(({ from }) => from === 'user' || from === 'parent');
  if (messages.length > 0 && said.length === messages.length) {
    return said.map(({ content }) => content).join('\n');
  }
  // It goes on with work that began before: with what was handed over, after a limit, a gate or the end of a child.
  const relay = handedOver(sql, state);
  const task = relay === null ? taskOfWork(sql, seq) : relay.task;
  const since = messagesBetween(sql, task ?? 0, seq).toReversed();
  return mixed([
    task === null ? '' : (messageAt(sql, task) ?? ''),
    relay === null ? '' : relay.words || lastSummary(sql, seq),
    since.map(({ content }) => content).join('\n'),
    messages
      .flatMap(({ from, content }) => (from === 'child' ? [wordsInResult(content)] : []))
      .join('\n'),
  ]);
}

/** What a process that is begun again goes on with. */
function lastSummary(sql: Sql, head: number): string {
  const handoff = lastRelay(sql, head)?.handoff ?? null;
  const body = handoff === null ? null : bodyAt(sql, handoff);
  return HandoffEvent.safeParse(body).data?.summary ?? '';
}

/** The first words of each part, then the second ones, and so on: only so many count, and none is to crowd out another. */
function mixed(parts: readonly string[]): string {
  const lists = parts.map(termsOf);
  const longest = Math.max(...lists.map(({ length }) => length));
  const words = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? []));
  return words.flat().slice(0, MOST).join(' ');
}
