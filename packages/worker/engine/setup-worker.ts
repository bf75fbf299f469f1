/** The name by which the private entry socket routes to the setup worker. */
export const SETUP_WORKER = 'filepath-setup';

/**
 * Runs in workerd beside the worker, reachable through the private socket only: applies migrations, and
 * answers probes of whether workerd still turns its event loop, and has the worker collect what nobody holds.
 */
export const SETUP_SCRIPT = `
const TABLE = 'CREATE TABLE IF NOT EXISTS _migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)';
const NOTE = 'INSERT INTO _migrations (name, applied_at) VALUES (?, ?)';

async function migrate(db, migrations) {
  await db.prepare(TABLE).run();
  const { results } = await db.prepare('SELECT name FROM _migrations').all();
  const known = new Set(results.map((row) => row.name));
  const applied = [];
  for (const { name, statements } of migrations) {
    if (known.has(name)) continue;
    const note = db.prepare(NOTE).bind(name, new Date().toISOString());
    await db.batch([...statements.map((statement) => db.prepare(statement)), note]);
    applied.push(name);
  }
  return applied;
}

export default {
  async fetch(request, env) {
    if (request.method === 'GET') return new Response('alive');
    try {
      if (request.method === 'DELETE') return Response.json(await env.HOUSEKEEPING.collect());
      return Response.json({ applied: await migrate(env.DB, await request.json()) });
    } catch (error) {
      return Response.json({ error: String(error) }, { status: 500 });
    }
  },
};
`;
