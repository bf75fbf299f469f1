import type { AgentEvent } from '@filepath/protocol';

const KEPT_REQUESTS = 8;
const KEPT_PATHS = 40;
const KEPT_COMMANDS = 12;

/** What was asked, said and touched: what a handoff can tell when the program itself cannot be asked any more. */
export class Journal {
  /** What was said last in this turn. */
  turnText = '';
  lastText = '';
  #requests: string[] = [];
  #paths = new Set<string>();
  #commands: string[] = [];
  #plan: Extract<AgentEvent, { type: 'plan' }>['steps'] = [];

  asked(text: string): void {
    this.#requests = [...this.#requests, short(text, 2000)].slice(-KEPT_REQUESTS);
  }

  told(event: AgentEvent): void {
    switch (event.type) {
      case 'text':
        if (event.partial !== true && event.content.trim() !== '') this.#said(event.content);
        break;
      case 'tool':
        if (event.status === 'done' && event.diff !== undefined && event.path !== undefined) {
          if (this.#paths.size < KEPT_PATHS) this.#paths.add(event.path);
        }
        break;
      case 'command':
        if (event.status !== 'start') this.#ran(event.cmd, event.exit);
        break;
      case 'plan':
        this.#plan = event.steps;
        break;
    }
  }

  /** One line of what was said last. */
  get summary(): string | undefined {
    const text = this.turnText.trim();
    return text === '' ? undefined : short(text, 400);
  }

  /** For whoever goes on. */
  handoff(): string {
    return [
      part('Asked', this.#requests),
      part(
        'Plan',
        this.#plan.map((step) => `[${step.status ?? 'pending'}] ${step.title}`),
      ),
      part('Files changed', [...this.#paths]),
      part('Last commands', this.#commands),
      this.lastText === '' ? '' : `Last said:\n${short(this.lastText, 4000)}`,
    ]
      .filter((text) => text !== '')
      .join('\n\n');
  }

  #said(text: string): void {
    this.turnText = text;
    this.lastText = text;
  }

  #ran(cmd: string, exit: number | undefined): void {
    const line = `${short(cmd, 200)}${exit === undefined ? '' : ` (exit ${exit})`}`;
    this.#commands = [...this.#commands, line].slice(-KEPT_COMMANDS);
  }
}

function part(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

export function short(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
