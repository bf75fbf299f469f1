import type { Surroundings } from '../driver/program.ts';
import { MCP_NAME } from '../mcp/registration.ts';
import { TREE_TOOLS } from '../tree/tools.ts';
import { commandOf, nameOf, pathOf } from './facts.ts';
import type { PermissionAnswer, PermissionRequest, ToolCall } from './wire.ts';

export const CANCELLED: PermissionAnswer = { outcome: { outcome: 'cancelled' } };

/** By policy, or by a person who is shown what it is about. `call` is all that is known of it. */
export async function decide(
  request: PermissionRequest,
  call: ToolCall,
  around: Surroundings,
): Promise<PermissionAnswer> {
  const allowed =
    around.permissions === 'allow' ||
    isOurs(call) ||
    (await around.decisions.permit(promptOf(call, around), subjectOf(call)));
  return allowed
    ? choose(request, ['allow_once', 'allow_always'])
    : choose(request, ['reject_once', 'reject_always']);
}

/** Tools of filepath need no leave, under the names that the known programs give them. */
function isOurs(call: ToolCall): boolean {
  const [, tool = ''] =
    new RegExp(`^(?:mcp__)?${MCP_NAME}_{1,2}([a-z_]+)$`).exec(nameOf(call)) ?? [];
  return TREE_TOOLS.has(tool);
}

/** An option for always is the last resort: what is allowed is this call. */
function choose({ options }: PermissionRequest, kinds: readonly string[]): PermissionAnswer {
  for (const kind of kinds) {
    const option = options.find((each) => each.kind === kind);
    if (option) return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }
  return CANCELLED;
}

function promptOf(call: ToolCall, { context, cwd }: Surroundings): string {
  const { name } = context.entry;
  const cmd = commandOf(call);
  if (cmd !== null) return `${name} wants to run: ${cmd}`;
  const path = pathOf(call, cwd);
  const what = call.title ?? nameOf(call);
  return path === undefined || what.includes(path)
    ? `${name} wants to use ${nameOf(call)}: ${what}`
    : `${name} wants to use ${nameOf(call)} on ${path}: ${what}`;
}

function subjectOf({ kind, title, rawInput, content }: ToolCall): unknown {
  return { kind, title, rawInput, content };
}
