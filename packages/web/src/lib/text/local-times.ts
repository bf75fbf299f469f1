const UTC = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g;

/** Times in a line of ours as the reader's own clock has them; with the day, where that is not today. */
export function localTimes(text: string, now = new Date()): string {
  return text.replaceAll(UTC, (written) => {
    const at = new Date(written);
    if (Number.isNaN(at.getTime())) return written;
    const time = at.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false });
    if (at.toDateString() === now.toDateString()) return time;
    return `${at.toLocaleDateString('en', { weekday: 'short', day: 'numeric', month: 'short' })}, ${time}`;
  });
}
