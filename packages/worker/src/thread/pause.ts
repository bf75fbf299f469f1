/** Why an agent is held still, and until when. `by`: a person, or filepath itself. */
export type Pause = {
  readonly by: 'user' | 'system';
  readonly reason: string | null;
  /** ISO time at which it ends by itself. */
  readonly until: string | null;
};
