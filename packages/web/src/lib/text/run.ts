import { type ThreadRun, totalTokens } from '@filepath/protocol';
import { count, duration, money } from './format.ts';

type Receipt = NonNullable<ThreadRun['receipt']>;
type Line = {
  /** What it took. */
  facts: string[];
  /** How it ended, and who says so. */
  outcome: string;
  tone: 'good' | 'bad' | 'plain';
};

const ENDED: Record<Receipt['status'], string> = {
  completed: 'done',
  error: 'failed',
  stopped: 'stopped',
  superseded: 'a later message took its place',
  handoff: 'handed off',
  lost: 'lost',
};

/** A run in one line. What the agent says of it is a claim; what the runner saw is verified. */
export function runLine({ number, receipt }: ThreadRun, commits: number): Line {
  const made = commits === 0 ? [] : [commits === 1 ? '1 commit' : `${commits} commits`];
  if (receipt === null)
    return { facts: [`run ${number}`], outcome: made.join(', '), tone: 'plain' };
  const facts = [`run ${number}`, duration(receipt.duration_ms), ...used(receipt)];
  const { gate, status, verified } = receipt;
  if (gate) {
    const bad = gate.checks.filter(({ outcome }) => outcome !== 'passed').map(({ name }) => name);
    const good = gate.checks.map(({ name }) => name).join(', ');
    if (!gate.passed)
      return {
        facts,
        outcome: `gates failed: ${[bad.join(', '), ...made].join(', ')}`,
        tone: 'bad',
      };
    const beside = gate.clean ? [] : ['with changes beside the commit'];
    const outcome = `verified: ${[`${good} passed`, ...beside, ...made].join(', ')}`;
    return { facts, outcome, tone: gate.clean ? 'good' : 'plain' };
  }
  const bad = status === 'error' || status === 'lost';
  const seen = verified ? `verified: ${ENDED[status]}` : claimed(status);
  const tone = bad ? 'bad' : verified && status === 'completed' ? 'good' : 'plain';
  return { facts, outcome: [seen, ...made].join(', '), tone };
}

const claimed = (status: Receipt['status']): string =>
  status === 'completed' || status === 'error' ? `claimed: ${ENDED[status]}` : ENDED[status];

function used({ calls, tokens, cost_usd: cost, estimated }: Receipt): string[] {
  if (calls === undefined || tokens === undefined) return [];
  if (cost === undefined || cost === null)
    return [`${count(totalTokens(tokens))} tok`, 'price unknown'];
  return [
    `${count(totalTokens(tokens))} tok`,
    `${money(cost)}${estimated === true ? ' at most' : ''}`,
  ];
}

/** The same with all there is to know, for whoever points at it. */
export function runDetail({ receipt }: ThreadRun): string {
  if (receipt === null) return '';
  const { tokens, calls, gate, started_at: started, completed_at: ended } = receipt;
  return [
    `${new Date(started).toLocaleString()} to ${new Date(ended).toLocaleTimeString()}`,
    ...(receipt.model_config_id === '' ? [] : [`model ${receipt.model_config_id}`]),
    ...(tokens === undefined
      ? []
      : [
          `${calls === 1 ? '1 call' : `${calls} calls`}, ${count(tokens.input + tokens.cacheRead + tokens.cacheWrite)} in, ${count(tokens.output)} out`,
        ]),
    ...(gate?.checks ?? []).map(({ name, outcome, command }) => `${name} ${outcome}: ${command}`),
    receipt.verified ? 'seen by the runner' : 'as the agent says',
    `output sha256 ${receipt.output_hash.slice(0, 12)}…`,
  ].join('\n');
}
