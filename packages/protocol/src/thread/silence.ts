/** `15 minutes`, `90 seconds`. */
function showSeconds(seconds: number): string {
  const [count, unit] = seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The reason of an agent that owes an answer and is silent. */
export const silentFor = (seconds: number): string => `silent for ${showSeconds(seconds)}`;

/** Why an agent was ended that stayed silent. */
export const stalledFor = (seconds: number): string =>
  `stalled: nothing heard for ${showSeconds(seconds)}`;
