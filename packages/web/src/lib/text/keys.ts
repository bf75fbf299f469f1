type KeyGroup = {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
};

/** The list that `?` shows. */
export const KEY_HELP: readonly KeyGroup[] = [
  {
    title: 'In the tree',
    keys: [
      ['↑ ↓ Home End', 'go through the rows'],
      ['→ ←', 'open and enter a branch; close and leave it'],
      ['Space', 'open or close a branch'],
      ['Enter', 'show the agent'],
      ['letters', 'go to a name (with Shift for n, s and p)'],
      ['n', 'spawn below the agent'],
      ['s', 'stop it with all below it'],
      ['p', 'pause or resume it with all below it'],
      ['F2', 'rename it in place'],
      ['Delete', 'delete it, after a question'],
      ['Alt ↑ ↓', 'move it among its siblings'],
      ['Alt → ←', 'move it below the one above; beside its parent'],
      ['Shift F10', 'show what can be done with it'],
    ],
  },
  {
    title: 'In the input',
    keys: [
      ['Enter', 'send'],
      ['Shift Enter', 'begin a line'],
      ['Alt Enter', 'send when the work at hand has ended'],
      ['↑ ↓', 'in an empty input: what you said before'],
      ['/', 'list commands'],
      ['@', 'name an agent or a file'],
      ['Escape', 'leave it'],
    ],
  },
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K  ⌘ K', 'go to any agent or action'],
      ['/', 'search and filter the tree'],
      ['?', 'show these keys'],
    ],
  },
];
