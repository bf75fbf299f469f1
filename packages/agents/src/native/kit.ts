import type { AgentEvent } from '@filepath/protocol';
import type { Place } from './place.ts';

/** What tools are made with. */
export type Kit = {
  readonly place: Place;
  readonly env: NodeJS.ProcessEnv;
  readonly emit: (event: AgentEvent) => void;
  /** Of this agent: what its children are unless it says otherwise. */
  readonly agentType: string;
  readonly model: string;
  /** Whether a message or a wish for a hand-off waits to be taken up. */
  readonly called: () => boolean;
  readonly gateway: { readonly baseUrl: string; readonly apiKey: string };
};
