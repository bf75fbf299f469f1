import { DurableObject } from 'cloudflare:workers';
import type { Node, SessionId } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { durableSql } from '../storage/durable-sql.ts';
import { isFresh, migrate } from '../storage/schema.ts';
import type { Sql } from '../storage/sql.ts';
import { Attention, type AttentionItem } from './attention.ts';
import { USER_MIGRATIONS } from './schema.ts';

/** One user: what waits for this person. */
export class UserObject extends DurableObject<Env> {
  #sql: Sql;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    if (!isFresh(this.#sql)) migrate(this.#sql, USER_MIGRATIONS);
  }

  attend(session: SessionId, name: string, nodes: readonly Node[]): void {
    migrate(this.#sql, USER_MIGRATIONS);
    new Attention(this.#sql).update(session, name, nodes);
  }

  forget(session: SessionId): void {
    if (!isFresh(this.#sql)) new Attention(this.#sql).forget(session);
  }

  attention(): AttentionItem[] {
    return isFresh(this.#sql) ? [] : new Attention(this.#sql).list();
  }
}
