import { orOff, type Reader, setting } from './settings.ts';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
const USUAL_MS = 15 * UNITS.m;

const duration: Reader = {
  read: (text) => {
    const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
    if (unit !== 's' && unit !== 'm' && unit !== 'h') return null;
    const ms = Number(count) * UNITS[unit];
    return ms < UNITS.s ? null : ms;
  },
  wanted: 'a time of at least 1s, like 90s, 15m or 2h',
};

/** How long an agent may be silent, in milliseconds; `Infinity` where it is off. */
export const silenceSetting = (env: NodeJS.ProcessEnv): number =>
  setting(env, 'FILEPATH_AGENT_SILENCE', orOff(duration)) ?? USUAL_MS;
