import { availableParallelism, totalmem } from 'node:os';
import { FilepathError } from '@filepath/protocol';

/** Most that one agent, with all it starts, may use. */
export type LimitSettings = {
  /** Bytes. */
  memory: number;
  /** Processes and threads. */
  pids: number;
  /** Cores' worth of time. */
  cpus: number;
};

const MIB = 1 << 20;
const GIB = 2 ** 30;
const LEAST_MEMORY = 64 * MIB;
const LEAST_PIDS = 16;
const LEAST_CPUS = 0.05;

/** From the environment of the runner. Throws where a value is not understood. */
export function limitSettings(env: NodeJS.ProcessEnv): LimitSettings {
  return {
    memory:
      setting(env, 'FILEPATH_AGENT_MEMORY', memory) ??
      Math.floor(Math.min(2 * GIB, totalmem() / 2)),
    pids: setting(env, 'FILEPATH_AGENT_PIDS', pids) ?? 512,
    cpus: setting(env, 'FILEPATH_AGENT_CPUS', cpus) ?? Math.min(2, availableParallelism()),
  };
}

/** `2 GiB`, `512 MiB`. */
export function showBytes(bytes: number): string {
  const [size, unit] = bytes >= GIB ? [bytes / GIB, 'GiB'] : [bytes / MIB, 'MiB'];
  return `${Number(size.toFixed(1))} ${unit}`;
}

export type Reader = { read(text: string): number | null; wanted: string };

/** A size in bytes of at least `least`. */
export function sizeReader(least: number): Reader {
  return {
    read: (text) => {
      const [, digits, unit] = /^(\d{1,15}(?:\.\d{1,3})?) ?(MiB|GiB|M|G)?$/.exec(text) ?? [];
      if (digits === undefined) return null;
      const scale = unit === undefined ? 1 : unit.startsWith('M') ? MIB : GIB;
      return atLeast(least, Math.floor(Number(digits) * scale));
    },
    wanted: `a size of at least ${showBytes(least)}, like 512M or 2G`,
  };
}

const memory = sizeReader(LEAST_MEMORY);

const pids: Reader = {
  read: (text) => (/^\d{1,7}$/.test(text) ? atLeast(LEAST_PIDS, Number(text)) : null),
  wanted: `a whole number of at least ${LEAST_PIDS}, like 512`,
};

const cpus: Reader = {
  read: (text) => (/^\d{1,4}(\.\d{1,3})?$/.test(text) ? atLeast(LEAST_CPUS, Number(text)) : null),
  wanted: `a number of cores of at least ${LEAST_CPUS}, like 2 or 0.5`,
};

export function atLeast(least: number, value: number): number | null {
  return value < least ? null : value;
}

/** The reader's values, or `off`. */
export function orOff(reader: Reader): Reader {
  return {
    read: (text) => (text === 'off' ? Number.POSITIVE_INFINITY : reader.read(text)),
    wanted: `${reader.wanted}, or off`,
  };
}

/** The value of a variable, or null where it is not set. Throws where it is not understood. */
export function setting(env: NodeJS.ProcessEnv, name: string, reader: Reader): number | null {
  const text = env[name]?.trim() ?? '';
  if (text === '') return null;
  const value = reader.read(text);
  if (value !== null) return value;
  throw new FilepathError(
    'bad_request',
    `${name} is ${JSON.stringify(text.slice(0, 100))}: set it to ${reader.wanted}, or unset it`,
  );
}
