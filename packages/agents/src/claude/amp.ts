import type { Dialect } from './dialect.ts';

/** Amp. It has no control requests, and its one result comes when stdin has ended. */
export const amp: Dialect = {
  args: ({ permissions }, resume) => [
    ...(resume === undefined ? [] : ['threads', 'continue', resume]),
    '--execute',
    '--stream-json',
    '--stream-json-input',
    ...(permissions === 'allow' ? ['--dangerously-allow-all'] : []),
  ],
  env: () => ({}),
  states: false,
  controls: false,
  stops: true,
  blocks: true,
};
