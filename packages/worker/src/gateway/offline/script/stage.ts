import type { Call, Conversation, Round, ToolResult } from '../conversation.ts';

/** What a stage of the script sees. */
export type Scene = {
  readonly round: Round;
  readonly tools: Conversation['tools'];
  /** What a call of an earlier stage gave. */
  result(stage: string, at?: number): ToolResult | undefined;
};

export type Move = {
  readonly text: string;
  readonly calls: readonly Pick<Call, 'name' | 'input'>[];
};

/** One step of the script. Null: there is nothing to do in it. */
export type Stage = {
  readonly name: string;
  readonly play: (scene: Scene) => Move | null;
};

/** Stages in their order, then an end. */
export type Part = {
  readonly stages: readonly Stage[];
  readonly end: (scene: Scene) => string;
};

/** A call is known again by how its id begins; the rest makes it one of its own in a thread. */
export function callId(round: number, stage: string, at: number): string {
  return `${prefixOf(round, stage, at)}${crypto.randomUUID().slice(0, 8)}`;
}

function prefixOf(round: number, stage: string, at: number): string {
  return `demo_${round}_${stage}_${at}_`;
}

export function sceneOf(round: Round, tools: Conversation['tools']): Scene {
  return {
    round,
    tools,
    result(stage, at = 0) {
      const prefix = prefixOf(round.number, stage, at);
      return round.results.find(({ id }) => id.startsWith(prefix));
    },
  };
}

export function wasPlayed({ made, number }: Round, stage: string): boolean {
  return made.some((id) => id.startsWith(`demo_${number}_${stage}_`));
}
