import { type SmallDisk, smallDisk as make } from '@filepath/testkit';
import { later } from './setup.ts';

export type { SmallDisk };

export function smallDisk(megabytes: number): SmallDisk {
  const disk = make(megabytes);
  later(() => disk[Symbol.dispose]());
  return disk;
}
