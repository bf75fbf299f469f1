import type { GateCheck } from '@filepath/protocol';

const NEXT =
  'Give the agent gates in its configuration, which hold from its next start; or mend the file in the repository, and make a new agent';

/** Where nobody can tell which gates the repository has, none of them has passed. */
export const unknownGates = (problem: string): GateCheck => ({
  name: 'filepath.json',
  command: 'the gates that it declares',
  outcome: 'failed',
  exit: null,
  seconds: 0,
  tail: `${problem}. ${NEXT}`,
});
