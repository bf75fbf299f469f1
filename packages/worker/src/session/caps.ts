/** Bounds of a tree: a runaway agent ends at them. */
export type Caps = {
  /** Levels, the roots included. */
  readonly depth: number;
  /** Children of one node. */
  readonly children: number;
  /** Agents of a session. */
  readonly agents: number;
  /** Agents of a session that work at once. */
  readonly working: number;
};

export const USUAL_CAPS: Caps = { depth: 8, children: 50, agents: 1000, working: 8 };

export type CapsEnv = {
  readonly FILEPATH_MAX_DEPTH?: string;
  readonly FILEPATH_MAX_CHILDREN?: string;
  readonly FILEPATH_MAX_AGENTS?: string;
  readonly FILEPATH_MAX_WORKING?: string;
};

/** The caps of this instance. The CLI refuses what is no number; here it leaves the usual cap in force. */
export function capsOf(env: CapsEnv): Caps {
  return {
    depth: cap(env.FILEPATH_MAX_DEPTH, USUAL_CAPS.depth),
    children: cap(env.FILEPATH_MAX_CHILDREN, USUAL_CAPS.children),
    agents: cap(env.FILEPATH_MAX_AGENTS, USUAL_CAPS.agents),
    working: cap(env.FILEPATH_MAX_WORKING, USUAL_CAPS.working),
  };
}

function cap(text: string | undefined, usual: number): number {
  return text !== undefined && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : usual;
}
