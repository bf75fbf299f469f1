export const LOOP_VERSION = 1;
