import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api';
import { describe, expect, it } from 'vitest';
import * as authSchema from '../../src/db/auth-schema.ts';
import * as identitySchema from '../../src/db/identity-schema.ts';
import * as indexSchema from '../../src/db/index-schema.ts';
import * as liteclawSchema from '../../src/db/liteclaw-schema.ts';
import * as providerSchema from '../../src/db/provider-schema.ts';

const read = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../migrations', name), 'utf8');

describe('migrations', () => {
  const journal = JSON.parse(read('meta/_journal.json')) as { entries: { tag: string }[] };
  const last = journal.entries.length - 1;

  it('lead to the schema in the code: `drizzle-kit generate` finds nothing to do', async () => {
    const snapshot = JSON.parse(read(`meta/${String(last).padStart(4, '0')}_snapshot.json`));
    const schema = await generateSQLiteDrizzleJson(
      { ...authSchema, ...identitySchema, ...indexSchema, ...liteclawSchema, ...providerSchema },
      snapshot.id,
    );
    expect(await generateSQLiteMigration(snapshot, schema)).toEqual([]);
  });

  it('are files for every entry of the journal', () => {
    for (const { tag } of journal.entries) expect(read(`${tag}.sql`)).not.toBe('');
  });
});
