import { LIMITS } from '@filepath/protocol';
import { type Reader, setting } from '../limits/settings.ts';

export type JobSettings = {
  /** Days after which a mirror that no home borrows from is removed. */
  mirrorDays: number;
  /** Largest snapshot, in bytes, that is made or taken. */
  snapshotBytes: number;
};

const days: Reader = {
  read: (text) => (/^[1-9]\d{0,4}$/.test(text) ? Number(text) : null),
  wanted: 'a whole number of days, at least 1, like 30',
};

const size: Reader = {
  read: (text) => {
    const [, digits, unit] = /^(\d{1,10})(M|G|MiB|GiB)?$/.exec(text) ?? [];
    if (digits === undefined) return null;
    const scale = unit === undefined ? 1 : unit.startsWith('M') ? 2 ** 20 : 2 ** 30;
    const bytes = Number(digits) * scale;
    return bytes >= 2 ** 20 && bytes <= LIMITS.snapshot ? bytes : null;
  },
  wanted: 'a size from 1M to 4G, like 1G',
};

/** From the environment of the runner. Throws where a value is not understood. */
export function jobSettings(env: NodeJS.ProcessEnv): JobSettings {
  return {
    mirrorDays: setting(env, 'FILEPATH_MIRROR_DAYS', days) ?? 30,
    snapshotBytes: setting(env, 'FILEPATH_SNAPSHOT_MAX', size) ?? 2 ** 30,
  };
}
