/** What a command may touch of the process it runs in. */
export type Io = {
  readonly stdin: NodeJS.ReadableStream;
  /** A line of the command's result. */
  out(line: string): void;
  /** A line for the person who watches. */
  err(line: string): void;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted when the command is interrupted. */
  readonly signal: AbortSignal;
};
