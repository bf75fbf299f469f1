import { type Check, fail, type Machine, ok, warn } from './check.ts';

const MIB = 1024 * 1024;
const LEAST = 512 * MIB;
const COMFORTABLE = 5 * 1024 * MIB;

export async function checkDisk(machine: Machine, home: string): Promise<Check> {
  const free = await machine.freeBytes(home);
  if (free === null) {
    return fail('disk', `${home} cannot be written`, 'FILEPATH_HOME=/a/folder/of/yours npm start');
  }
  const text = `${formatBytes(free)} free at ${home}`;
  if (free < LEAST) return fail('disk', text, 'FILEPATH_HOME=/a/larger/disk npm start');
  if (free < COMFORTABLE) return warn('disk', text, 'FILEPATH_HOME=/a/larger/disk npm start');
  return ok('disk', text);
}

/** `runningAt` is the address of the instance that runs on this home. */
export async function checkPort(
  machine: Machine,
  host: string,
  port: string,
  runningAt: string | null,
): Promise<Check> {
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65535) {
    return fail('port', `FILEPATH_PORT is ${JSON.stringify(port)}`, 'unset FILEPATH_PORT');
  }
  if (runningAt !== null && new URL(runningAt).port === port) {
    return ok('port', `${port}, filepath runs at ${runningAt}`);
  }
  const code = await machine.listen(host, number);
  if (code === null) return ok('port', `${host}:${port} is free`);
  const other = number < 65535 ? number + 1 : 4281;
  const text = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code})`;
  return fail('port', `${host}:${port} ${text}`, `FILEPATH_PORT=${other} npm start`);
}

export function formatBytes(bytes: number): string {
  return bytes >= 1024 * MIB
    ? `${(bytes / 1024 / MIB).toFixed(1)} GiB`
    : `${Math.floor(bytes / MIB)} MiB`;
}
