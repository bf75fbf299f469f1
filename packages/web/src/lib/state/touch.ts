/** On a touch keyboard Enter is the only way to a new line. */
export function isTouch(): boolean {
  return matchMedia('(hover: none) and (pointer: coarse)').matches;
}
