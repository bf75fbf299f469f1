import type { Driver } from '../driver/driver.ts';

export const native: Driver = ({ entry }) => {
  throw new Error(`${entry.name} is not part of this version`);
};
