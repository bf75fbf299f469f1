import { refusal } from '@filepath/protocol/sky';
import type { Executor } from './executor.ts';

export const containerExecutor: Executor = {
  run: async () => refusal('no_executor', 'No runner is connected.'),
};
