import type { Colour } from './ansi.ts';

/** The hue of a colour in degrees, each with the name of what lies around it. */
const HUES: readonly (readonly [number, Colour])[] = [
  [20, 'red'],
  [75, 'yellow'],
  [165, 'green'],
  [200, 'cyan'],
  [260, 'blue'],
  [335, 'magenta'],
  [360, 'red'],
];

export function nearest(red: number, green: number, blue: number): Colour | null {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  const spread = most - least;
  if (!(spread > 40)) return most < 90 ? 'black' : most > 200 ? null : 'white';
  const hue = hueOf(red, green, blue, most, spread);
  return HUES.find(([end]) => hue <= end)?.[1] ?? null;
}

function hueOf(red: number, green: number, blue: number, most: number, spread: number): number {
  const sixth =
    most === red
      ? ((green - blue) / spread + 6) % 6
      : most === green
        ? (blue - red) / spread + 2
        : (red - green) / spread + 4;
  return sixth * 60;
}
