import type { AgentEntry, AgentEvent, AgentInput } from '@filepath/protocol';

/** What a driver is given: it reads inputs, and says what its program does. */
export type DriverContext = {
  readonly entry: AgentEntry;
  /** Of this process: FILEPATH_MODEL, FILEPATH_BASE_URL, FILEPATH_API_KEY and the rest of the contract. */
  readonly env: NodeJS.ProcessEnv;
  /** Ends when stdin ends. The first is the task. */
  readonly inputs: AsyncIterable<AgentInput>;
  readonly emit: (event: AgentEvent) => void;
  /** Aborted when this process is asked to end. */
  readonly signal: AbortSignal;
};

/** Runs until nothing is left to do; its number is the exit status. */
export type Driver = (context: DriverContext) => Promise<number>;
