import type { ModelRequest } from './request.ts';
import type { Script, Step, Turn } from './turn.ts';

export type Scripts = {
  readonly script: Script;
  /** Answers calls beside the main line: titles, summaries, probes of a CLI. They consume nothing of a list. */
  readonly otherwise?: Step;
  /** Which calls are the main line. By default those that offer tools, if there is an `otherwise`, else all. */
  readonly mainLine?: (request: ModelRequest) => boolean;
};

/** Chooses the turn for each call, in the order in which they come. */
export function chooser({
  script,
  otherwise,
  mainLine,
}: Scripts): (request: ModelRequest) => Promise<Turn> {
  let next = 0;
  const isMain = mainLine ?? ((request) => otherwise === undefined || request.tools.length > 0);
  return async (request) => {
    if (!isMain(request)) return play(otherwise ?? { text: 'ok' }, request);
    if (typeof script === 'function') return script(request);
    const step = script[next];
    next += 1;
    // A client does not repeat this one: a script that is too short shows at once.
    return step ? play(step, request) : ended(script.length);
  };
}

/**
 * A script that each conversation goes through by itself, whatever else runs beside it: the step is chosen by how
 * often the model has spoken. A repeated call gets the same step again.
 */
export function perConversation(steps: readonly Step[]): (request: ModelRequest) => Promise<Turn> {
  return async (request) => {
    const step = steps[request.replies];
    return step ? play(step, request) : ended(steps.length);
  };
}

async function play(step: Step, request: ModelRequest): Promise<Turn> {
  return typeof step === 'function' ? step(request) : step;
}

function ended(steps: number): Turn {
  const message = `the script of this server has ended after ${steps} turns`;
  return { fault: { kind: 'status', status: 400, message } };
}
