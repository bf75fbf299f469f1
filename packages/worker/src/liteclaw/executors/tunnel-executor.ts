import { refusal, type ToolOutcome } from '@filepath/protocol/sky';
import type { Executor } from './executor.ts';

/** As the object has it; outcomes cross as JSON. */
type Tunnels = {
  invoke(nonce: string, tool: string, args: string): Promise<string>;
  cancel(nonce: string): Promise<void>;
};

/** The user's own machine. No program is run there. */
export function tunnelExecutor(tunnels: () => Tunnels): Executor {
  return {
    async run(tool, args, { signal }) {
      if (tool === 'bash')
        return refusal('no_executor', 'No commands are run on the machine of the user.');
      const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url');
      const stub = tunnels();
      const cancel = (): void => void stub.cancel(nonce).catch(() => undefined);
      signal.addEventListener('abort', cancel, { once: true });
      try {
        const text = await stub.invoke(nonce, tool, JSON.stringify(args ?? null));
        return JSON.parse(text) as ToolOutcome;
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
  };
}
