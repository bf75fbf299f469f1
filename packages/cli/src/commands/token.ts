import { parseArgs } from 'node:util';
import { type ApiToken, TOKEN_DAYS, TokenId } from '@filepath/protocol';
import type { Io } from '../io.ts';
import { printable } from '../memory-lines.ts';
import { runningClient } from '../the-instance.ts';
import { checkIds, UsageError, withUsage } from '../usage.ts';

const USAGE = `Usage: filepath token create NAME [--days DAYS|never]
       filepath token list [--json]
       filepath token revoke ID …

create  makes an API token and prints it, this once; DAYS is how long it lives, 90 unless given
list    the tokens there are, the newest first
revoke  refuses whoever uses it from now on`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  days: { type: 'string' },
} as const;

export async function token(args: string[], io: Io): Promise<number> {
  return withUsage(io, USAGE, async () => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    if (values.help) {
      io.out(USAGE);
      return 0;
    }
    const [action = 'list', ...words] = positionals;
    switch (action) {
      case 'create':
        return create(words.join(' '), values.days, io);
      case 'list':
        if (words.length > 0) throw new UsageError(`${words[0]} is one word too many.`);
        return list(values.json === true, io);
      case 'revoke':
        return revoke(words, io);
      default:
        throw new UsageError(`filepath token cannot ${action}.`);
    }
  });
}

async function create(name: string, days: string | undefined, io: Io): Promise<number> {
  if (name.trim() === '') throw new UsageError('Say what the token is for.');
  const lifetime = days === undefined ? {} : { expiresInDays: daysOf(days) };
  const made = await runningClient(io).token.create({ name, ...lifetime });
  io.out(made.secret);
  io.err(`${made.token.id} ${expiryOf(made.token)}. It is not shown again.`);
  return 0;
}

function daysOf(text: string): number | null {
  if (text === 'never') return null;
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= TOKEN_DAYS.most) return days;
  throw new UsageError(`${text} is no number of days from 1 to ${TOKEN_DAYS.most}, and not never.`);
}

async function list(json: boolean, io: Io): Promise<number> {
  const tokens = await runningClient(io).token.list();
  if (json) {
    io.out(JSON.stringify({ tokens }, null, 2));
    return 0;
  }
  for (const one of tokens) {
    const used = one.usedAt === null ? 'never used' : `used ${one.usedAt.slice(0, 10)}`;
    io.out(`${one.id}  …${one.hint}  ${expiryOf(one)}  ${used}  ${printable(one.name)}`);
  }
  if (tokens.length === 0) io.err('There are no tokens.');
  return 0;
}

async function revoke(ids: readonly string[], io: Io): Promise<number> {
  checkIds(ids, (id) => TokenId.safeParse(id).success, {
    none: 'Name the token by its id, tok_….',
    kind: 'token, tok_…',
  });
  const client = runningClient(io);
  for (const id of ids) {
    await client.token.revoke(id);
    io.out(`${id} is revoked`);
  }
  return 0;
}

const expiryOf = ({ expiresAt }: ApiToken): string =>
  expiresAt === null ? 'does not expire' : `expires ${expiresAt.slice(0, 10)}`;
