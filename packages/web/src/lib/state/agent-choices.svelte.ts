import { CATALOG } from '@filepath/protocol';

/** A kind of agent as the spawn dialog offers it. */
export type AgentChoice = {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly icon: string;
  /** It runs a command that the person gives. */
  readonly custom: boolean;
  readonly metered: boolean;
  /** What to do since its program is not there. Null: it is, or that is not known. */
  readonly missing: string | null;
};

export class AgentChoices {
  all = $state.raw<readonly AgentChoice[]>(
    CATALOG.map(({ type, name, description, icon, driver, metered }) => ({
      type,
      name,
      description,
      icon,
      metered,
      custom: driver.kind === 'custom',
      missing: null,
    })),
  );
}
