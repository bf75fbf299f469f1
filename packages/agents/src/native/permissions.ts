import { failed, type LoopTool } from '@filepath/loop';
import { cutMiddle } from '../driver/caps.ts';
import type { Decisions } from '../driver/decisions.ts';
import { TREE_TOOLS } from '../tree/tools.ts';

const MAX_PROMPT = 8_000;

/** Tools that ask a person before they change something. */
export function asking(tools: readonly LoopTool[], decisions: Decisions): LoopTool[] {
  return tools.map((tool) =>
    tool.readOnly || TREE_TOOLS.has(tool.name)
      ? tool
      : {
          ...tool,
          async run(input, context) {
            const prompt = `${tool.name} ${cutMiddle(JSON.stringify(input), MAX_PROMPT)}`;
            const allowed = await decisions.permit(prompt, { tool: tool.name, input });
            return allowed ? tool.run(input, context) : failed('A person did not allow this call.');
          },
        },
  );
}
