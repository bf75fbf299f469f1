import type { Session, SessionActivity, SessionStatus } from '@filepath/protocol';
import { count, money } from './format.ts';

export const SESSION_ORDERS = {
  activity: 'last activity',
  name: 'name',
  cost: 'cost',
  agents: 'agents',
} as const;
export type SessionOrder = keyof typeof SESSION_ORDERS;

/** What it says of itself; one that was begun and neither held, stopped nor failed: what its agents are at. */
export const shownStatus = ({ status, activity }: Session): SessionStatus | SessionActivity =>
  status === 'running' ? (activity ?? status) : status;

const costOf = ({ usage }: Session): number => usage?.costUsd ?? 0;

const COMPARE: Record<SessionOrder, (a: Session, b: Session) => number> = {
  activity: (a, b) => b.updatedAt.localeCompare(a.updatedAt),
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  cost: (a, b) => costOf(b) - costOf(a),
  agents: (a, b) => b.nodeCount - a.nodeCount,
};

/** The sessions that have all words of a search, in an order; those that are equal by it, the newest first. */
export function findSessions(
  sessions: readonly Session[],
  search: string,
  order: SessionOrder,
): Session[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return sessions
    .filter((session) => {
      const { name, gitRepoUrl } = session;
      const text = `${name} ${gitRepoUrl ?? ''} ${shownStatus(session)}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => COMPARE[order](a, b) || COMPARE.activity(a, b));
}

export const agentsText = (n: number): string =>
  n === 0 ? 'no agent' : n === 1 ? '1 agent' : `${count(n)} agents`;

/** What was paid; where some models have no price, at least that. */
export function costText({ usage }: Session): string {
  if (!usage || usage.calls === 0) return '–';
  return usage.unpriced > 0 ? `${money(usage.costUsd)}+` : money(usage.costUsd);
}

/** What goes with a session, for the dialog that asks. */
export function deletionText({ nodeCount }: Session): string {
  const agents =
    nodeCount === 0
      ? 'It has no agent.'
      : nodeCount === 1
        ? 'Its agent is stopped and deleted, with its conversation and receipts.'
        : `Its ${nodeCount} agents are stopped and deleted, with their conversations and receipts.`;
  return `${agents} Commits that were not pushed or merged are left only in the archive of the machine that ran them.\nThis cannot be undone.`;
}

export function stopText({ nodeCount }: Session): string {
  const who = nodeCount === 1 ? 'Its agent is' : `All ${nodeCount} agents are`;
  return `${who} told to stop and ended after a moment. What was done stays; a message starts an agent again.`;
}
