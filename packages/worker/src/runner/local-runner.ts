import { RunnerId } from '@filepath/protocol';

/** The runner that lives beside the engine. */
export const LOCAL_RUNNER = RunnerId.parse('rn_local');
