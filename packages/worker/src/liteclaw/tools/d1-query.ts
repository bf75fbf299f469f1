import { TOOL_ARGS } from '@filepath/protocol/sky';
import type { ChatDatabase } from './chat-database.ts';
import type { ClawTool } from './tool.ts';

/** A database of the chat's own, in an object of its own: no table of anybody else can be named in it. */
export function d1Query(database: () => DurableObjectStub<ChatDatabase>): ClawTool {
  return {
    name: 'd1.query',
    description:
      'Run one statement of SQLite in the database of this chat. Create the tables you need; values go into params.',
    access: 'either',
    async run(given, { rules }) {
      const { sql, params = [] } = TOOL_ARGS['d1.query'].parse(given);
      const write = rules.policy === 'read-write';
      return database().query({ sql, params, write });
    },
  };
}
