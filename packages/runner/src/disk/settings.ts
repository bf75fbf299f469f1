import { orOff, type Reader, setting, sizeReader } from '../limits/settings.ts';

/** What agents may leave on the disk. `Infinity`: nothing limits it. */
export type DiskSettings = {
  /** Bytes of one agent's workspace and home. */
  agent: number;
  /** Bytes that are kept free; null where the size of the disk decides. */
  reserve: number | null;
  /** Days that homes of deleted agents are kept. */
  archiveDays: number;
  /** Bytes of them that are kept. */
  archiveBytes: number;
};

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** From the environment of the runner. Throws where a value is not understood. */
export function diskSettings(env: NodeJS.ProcessEnv): DiskSettings {
  return {
    agent: setting(env, 'FILEPATH_AGENT_DISK', orOff(sizeReader(MIB))) ?? 20 * GIB,
    reserve: setting(env, 'FILEPATH_DISK_RESERVE', sizeReader(0)),
    archiveDays: setting(env, 'FILEPATH_ARCHIVE_DAYS', orOff(days)) ?? 14,
    archiveBytes: setting(env, 'FILEPATH_ARCHIVE_MAX', orOff(sizeReader(0))) ?? 20 * GIB,
  };
}

const days: Reader = {
  read: (text) => (/^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : null),
  wanted: 'a number of days, like 14',
};
