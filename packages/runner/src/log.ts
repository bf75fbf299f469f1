/** One thing the runner did or met, for whoever keeps its log. Never carries a secret or an agent's output. */
export type RunnerLog = {
  level: 'info' | 'warn' | 'error';
  event:
    | 'link-up'
    | 'link-down'
    | 'frame-rejected'
    | 'order-taken'
    | 'order-failed'
    | 'attached'
    | 'started'
    | 'refused'
    | 'exited'
    | 'over'
    | 'killed'
    | 'removed'
    | 'pruned'
    | 'held'
    | 'released'
    | 'silent'
    | 'sandbox'
    | 'catalog'
    | 'egress'
    | 'container'
    | 'unsandboxed'
    | 'job'
    | 'mirror'
    | 'tunnel'
    | 'fault';
  message: string;
  thread?: string;
  epoch?: number;
};

export type Log = (event: RunnerLog) => void;

export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
