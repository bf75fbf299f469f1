const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** What Claude Code says of itself at the start of a turn, without its lists of commands and skills. */
const KEPT_OF_INIT = [
  'type',
  'subtype',
  'cwd',
  'session_id',
  'tools',
  'model',
  'permissionMode',
  'claude_code_version',
];
/** Notifications of codex about the machine rather than the work. */
const LEFT_OUT =
  /^(remoteControl|account|mcpServer|skills|app|fs\/changed|configWarning|_auth\/|deprecationNotice|thread\/settings)/;

/** Updates of ACP with lists of commands and settings. */
const LISTS = /"sessionUpdate":"(available_commands_update|config_option_update)"/;

type Step = { argv?: string[]; in?: Record<string, unknown>; out?: Record<string, unknown> };

/** The lines of a recording without this machine: its paths, ids and times. One is given all processes of a scenario. */
export class Scrubber {
  #words: [string, string][];
  #ids = new Map<string, string>();

  constructor(words: Record<string, string>) {
    this.#words = Object.entries(words);
  }

  scrub(text: string): string {
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Step)
      .flatMap((step) => {
        const kept = step.out ? trimmed(step.out) : step;
        return kept ? [this.#line(kept)] : [];
      })
      .map((line) => `${line}\n`)
      .join('');
  }

  #line(step: Step): string {
    let line = JSON.stringify(step);
    for (const [from, to] of this.#words) line = line.replaceAll(from, to);
    const made = step.in !== undefined;
    return line
      .replaceAll(UUID, (id) => this.#id(id, made))
      .replaceAll(TIME, '2026-01-01T00:00:00.000Z');
  }

  /** An id that the driver made is another one each time; those of the CLI are what the recording says. */
  #id(id: string, made: boolean): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const number = this.#ids.size + 1;
    const name = made
      ? `<id-${number}>`
      : `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    this.#ids.set(id, name);
    return name;
  }
}

function trimmed(out: Record<string, unknown>): Step | null {
  if (typeof out['method'] === 'string' && LEFT_OUT.test(out['method'])) return null;
  if (LISTS.test(JSON.stringify(out).slice(0, 400))) return null;
  if (out['subtype'] !== 'init') return { out: withoutMachine(out) };
  return {
    out: Object.fromEntries(Object.entries(out).filter(([key]) => KEPT_OF_INIT.includes(key))),
  };
}

const MACHINE = new Set([
  'userAgent',
  'platformOs',
  'platformFamily',
  'instructionSources',
  'gitInfo',
]);

function withoutMachine(out: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(out, (key, value: unknown) => (MACHINE.has(key) ? undefined : value)),
  ) as Record<string, unknown>;
}
