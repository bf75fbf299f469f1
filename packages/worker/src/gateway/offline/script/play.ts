import { type Conversation, type Reply, roundOf } from '../conversation.ts';
import { isReader, isWriter, reader, writer } from './child.ts';
import { engineer } from './engineer.ts';
import { followUp } from './follow-up.ts';
import { researcher } from './researcher.ts';
import { callId, type Part, type Scene, sceneOf, wasPlayed } from './stage.ts';
import { INTRODUCTION, KEYS } from './words.ts';

/** The next thing that the script says. Every stage is played once at most, so that it ends. */
export function play({ tools, said }: Conversation): Reply {
  const round = roundOf({ tools, said });
  const scene = sceneOf(round, tools);
  const { stages, end } = partOf(scene);
  if (round.replies <= stages.length) {
    for (const { name, play: move } of stages) {
      if (wasPlayed(round, name)) continue;
      const { text, calls } = move(scene) ?? { text: '', calls: [] };
      const offered = calls.filter((call) => tools.has(call.name));
      if (offered.length === 0) continue;
      return {
        text,
        calls: offered.map((call) => ({
          ...call,
          id: callId(round.number, name, calls.indexOf(call)),
        })),
      };
    }
  }
  return { text: end(scene), calls: [] };
}

function partOf({ round, tools }: Scene): Part {
  if (!tools.has('list_files')) return withoutTools;
  if (round.number > 1) return followUp;
  if (isReader(round.task)) return reader;
  if (isWriter(round.task)) return writer;
  return tools.has('write_file') ? engineer : researcher;
}

/** Asked by a program with tools of its own, or for a title or a summary. */
const withoutTools: Part = {
  stages: [],
  end: () =>
    `${INTRODUCTION} It knows the tools of Shelley and Pi, and none of those is offered here. ${KEYS}`,
};
