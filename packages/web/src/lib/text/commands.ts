/** What can be done by a line that begins with a slash. */
export type CommandName =
  | 'stop'
  | 'pause'
  | 'resume'
  | 'restart'
  | 'handoff'
  | 'spawn'
  | 'rename'
  | 'changes'
  | 'budget'
  | 'clear-draft'
  | 'help';

export type Command = {
  readonly name: CommandName;
  /** What may follow it; absent: nothing. */
  readonly argument?: string;
  readonly about: string;
};

export const COMMANDS: readonly Command[] = [
  { name: 'stop', about: 'Stop the agent and all agents below it' },
  { name: 'pause', argument: 'reason', about: 'Hold the agent and all below it still' },
  { name: 'resume', about: 'Let a paused agent go on' },
  { name: 'restart', about: 'Begin again in a fresh process' },
  { name: 'handoff', about: 'Go on in a fresh context, with a summary' },
  { name: 'spawn', about: 'Add an agent below this one' },
  { name: 'rename', argument: 'name', about: 'Give the agent another name' },
  { name: 'changes', about: 'Show what the agent changed' },
  { name: 'budget', about: 'Set the budget of the agent' },
  { name: 'clear-draft', about: 'Throw away what is written here' },
  { name: 'help', about: 'Show all commands' },
];

export type Spoken =
  | { readonly kind: 'text' }
  | { readonly kind: 'command'; readonly command: Command; readonly argument: string }
  /** It looks like a command and is none, or was given what it does not take. */
  | { readonly kind: 'unknown'; readonly why: string };

/** A path such as `/usr/bin` is text: only a single word after the slash is meant as a command. */
const SLASH = /^\/([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/;

export function spoken(text: string): Spoken {
  const [found, name = '', rest = ''] = SLASH.exec(text.trim()) ?? [];
  if (found === undefined) return { kind: 'text' };
  const command = COMMANDS.find((one) => one.name === name.toLowerCase());
  if (command === undefined) return { kind: 'unknown', why: `There is no command /${name}.` };
  const argument = rest.trim();
  if (argument !== '' && command.argument === undefined) {
    return { kind: 'unknown', why: `/${command.name} takes nothing after it.` };
  }
  return { kind: 'command', command, argument };
}

/** The commands whose name begins so; then those that have it elsewhere. */
export function commandsFor(query: string): Command[] {
  const wanted = query.toLowerCase();
  const first = COMMANDS.filter(({ name }) => name.startsWith(wanted));
  return [...first, ...COMMANDS.filter((one) => !first.includes(one) && one.name.includes(wanted))];
}
