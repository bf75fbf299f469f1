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
  readonly gateway: { readonly baseUrl: string; readonly apiKey: string };
};
