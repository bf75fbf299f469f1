import type { Turn } from '@filepath/testkit';

/** A task in ten steps, with every kind of tool that Shelley has in its sandbox. */
export const TEN_STEPS: readonly Turn[] = [
  { text: 'I look around.', tools: [{ name: 'list_files', input: {} }], chunk: 5 },
  {
    tools: [
      { name: 'read_file', input: { path: 'README.md' } },
      { name: 'read_file', input: { path: 'src/hello.txt' } },
    ],
    usage: { cacheRead: 100 },
  },
  { tools: [{ name: 'search', input: { pattern: 'hel+o' } }] },
  { tools: [{ name: 'write_file', input: { path: 'docs/new.md', content: 'one\ntwo\n' } }] },
  { tools: [{ name: 'edit_file', input: { path: 'docs/new.md', old: 'two', new: 'three' } }] },
  {
    tools: [{ name: 'bash', input: { command: 'echo out; echo err >&2; exit 3' } }],
    reasoning: 'Let me see.',
  },
  { tools: [{ name: 'git', input: { action: 'commit', message: 'docs: add a page' } }] },
  { tools: [{ name: 'spawn_agent', input: { name: 'tests', task: 'Write tests.' } }] },
  {
    tools: [
      { name: 'read_file', input: { path: 'docs/new.md' } },
      { name: 'git', input: { action: 'log' } },
    ],
  },
  { text: 'There is a new page, committed.', chunk: 7 },
];
