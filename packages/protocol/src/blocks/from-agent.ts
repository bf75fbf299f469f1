import type { AgentEvent } from '../fap/events.ts';
import type { Base, Block } from './block.ts';
import { commandBlock, toolBlock } from './from-work.ts';

/** The block that one event of an agent makes by itself. */
export function agentBlock(base: Base, event: AgentEvent): Block {
  switch (event.type) {
    case 'text':
      return {
        ...base,
        kind: 'text',
        content: event.content,
        partial: false,
        truncated: event['truncated'] === true,
      };
    case 'tool':
      return toolBlock(base, event);
    case 'command':
      return commandBlock(base, event);
    case 'commit':
      return {
        ...base,
        kind: 'commits',
        commits: [
          { hash: event.hash, message: event.message, verified: base.verified, branch: null },
        ],
      };
    case 'spawn':
      return {
        ...base,
        kind: 'spawn',
        name: event.name,
        agent: event.agent,
        model: event.model,
        task: event.task ?? null,
        state: 'pending',
        node: null,
        reason: null,
      };
    case 'workers':
      return {
        ...base,
        kind: 'workers',
        by: 'agent',
        workers: event.workers.map(({ name, status }) => ({ name, status })),
      };
    case 'status':
      return {
        ...base,
        kind: 'status',
        state: event.state,
        reason: event.reason ?? null,
        contextPct: event.context_pct ?? null,
      };
    case 'handoff':
      return { ...base, kind: 'handoff', summary: event.summary, next: null };
    case 'done':
      return { ...base, kind: 'done', summary: event.summary ?? null };
    case 'plan':
      return {
        ...base,
        kind: 'plan',
        steps: event.steps.map(({ title, status }) => ({ title, status: status ?? 'pending' })),
      };
    case 'usage':
      return {
        ...base,
        kind: 'usage',
        model: event.model ?? null,
        input: event.input ?? 0,
        output: event.output ?? 0,
        cost: event.cost ?? null,
      };
    case 'decision':
      return {
        ...base,
        kind: 'decision',
        decision: event.id,
        prompt: event.prompt,
        options: event.options,
        hash: event.hash ?? null,
        state: 'open',
        choice: null,
        byRule: false,
        permission: event.kind === 'permission',
      };
    case 'memory':
      return { ...base, kind: 'memory', content: event.content, scope: event.scope ?? null };
    case 'log':
      return {
        ...base,
        kind: 'log',
        level: event.level ?? 'info',
        message: event.message,
        head: null,
      };
  }
}
