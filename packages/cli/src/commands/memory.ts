import { parseArgs } from 'node:util';
import { MemoryId, MemoryScope } from '@filepath/protocol';
import type { Io } from '../io.ts';
import { memoryLines } from '../memory-lines.ts';
import { runningClient } from '../the-instance.ts';
import { checkIds, UsageError, withUsage } from '../usage.ts';

const USAGE = `Usage: filepath memory list [--scope SCOPE] [--repository URL] [--json]
       filepath memory search WORD … [--scope SCOPE] [--repository URL] [--json]
       filepath memory add TEXT [--repository URL]
       filepath memory forget ID …

list    what agents remember, the newest first; SCOPE is agent, session, repository or user
search  what fits the words, best first
add     tells all agents, or those on a repository
forget  removes it for all agents`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  scope: { type: 'string' },
  repository: { type: 'string' },
} as const;

type Options = { json?: boolean; scope?: string; repository?: string };

export async function memory(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const [action = 'list', ...words] = positionals;
    switch (action) {
      case 'list':
        if (words.length > 0) throw new UsageError(`${words[0]} is one word too many.`);
        return list('', values, io);
      case 'search':
        if (words.length === 0) throw new UsageError('Say what to search for.');
        return list(words.join(' '), values, io);
      case 'add':
        return add(words.join(' '), values, io);
      case 'forget':
        return forget(words, io);
      default:
        throw new UsageError(`filepath memory cannot ${action}.`);
    }
  });
}

async function list(q: string, { json, scope, repository }: Options, io: Io): Promise<number> {
  const within = MemoryScope.optional().safeParse(scope);
  if (!within.success) throw new UsageError(`${scope} is no scope.`);
  const query = { q: q === '' ? undefined : q, scope: within.data, repository, limit: 500 };
  const { memories, total } = await runningClient(io).memory.list(query);
  if (json === true) {
    io.out(JSON.stringify({ memories, total }, null, 2));
    return 0;
  }
  for (const one of memories) for (const line of memoryLines(one)) io.out(line);
  if (memories.length === 0) io.err('Nothing is remembered here.');
  else if (q === '' && total > memories.length) {
    io.err(`These are the newest ${memories.length} of ${total}. Search for the others.`);
  }
  return 0;
}

async function add(content: string, { repository, scope }: Options, io: Io): Promise<number> {
  if (content.trim() === '') throw new UsageError('Say what to remember.');
  if (scope !== undefined) throw new UsageError('Leave --scope out, or name a --repository.');
  const place = repository === undefined ? {} : { scope: 'repository' as const, key: repository };
  const {
    memory: stored,
    refreshed,
    dropped,
  } = await runningClient(io).memory.add({
    content,
    ...place,
  });
  io.out(`${stored.id} ${refreshed ? 'was there already, and counts as new' : 'is remembered'}`);
  if (dropped > 0) io.err(`There was no more room: ${dropped} of the least useful went.`);
  return 0;
}

async function forget(ids: readonly string[], io: Io): Promise<number> {
  checkIds(ids, (id) => MemoryId.safeParse(id).success, {
    none: 'Name what to forget by its id, mem_….',
    kind: 'memory, mem_…',
  });
  const client = runningClient(io);
  for (const id of ids) {
    await client.memory.delete(id);
    io.out(`${id} is forgotten`);
  }
  return 0;
}
