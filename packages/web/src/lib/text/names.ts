const ADJECTIVES = (
  'amber bold brave brisk calm clear clever cosmic crisp daring eager early fair fleet fresh gentle ' +
  'golden grand happy keen kind lively lucid lunar mellow merry modest neat nimble noble patient plain ' +
  'proud quick quiet rapid ready rustic sharp silent simple sleek smart solid steady still sunny swift ' +
  'tidy trusty vivid warm wise witty'
).split(' ');

/** `adjective-number`, as in calm-41. */
export function randomName(random: () => number = Math.random): string {
  const adjective = ADJECTIVES[Math.floor(random() * ADJECTIVES.length)] ?? 'calm';
  return `${adjective}-${1 + Math.floor(random() * 99)}`;
}
