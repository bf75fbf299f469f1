#!/usr/bin/env node
// Stands for Amp's CLI, which needs Amp's server: `amp --execute --stream-json --stream-json-input` as its
// documentation describes it, in Claude's dialect, with thread ids. It runs one command for each message.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const args = process.argv.slice(2);
const continued = args[0] === 'threads' && args[1] === 'continue' ? args[2] : undefined;
for (const flag of ['--execute', '--stream-json', '--stream-json-input']) {
  if (!args.includes(flag)) fail(`${flag} is missing`);
}
const threads = join(process.env.HOME ?? '', '.local/share/amp/threads');
mkdirSync(threads, { recursive: true });
const session_id = continued ?? `T-${randomUUID()}`;
if (continued !== undefined && !existsSync(join(threads, continued))) fail('thread not found');

const begun = Date.now();
const head = { parent_tool_use_id: null, session_id };
const send = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const user = (content) => send({ type: 'user', message: { role: 'user', content }, ...head });
const assistant = (content, stop_reason) =>
  send({
    type: 'assistant',
    message: {
      type: 'message',
      role: 'assistant',
      content,
      stop_reason,
      usage: { input_tokens: 100, output_tokens: 10, max_tokens: 1000 },
    },
    ...head,
  });

const tools = ['Bash', 'create_file', 'edit_file'];
send({ type: 'system', subtype: 'init', cwd: process.cwd(), session_id, tools, mcp_servers: [] });
let last = '';
for await (const line of createInterface({ input: process.stdin })) {
  const { message } = JSON.parse(line);
  const text = message.content.map((block) => block.text).join('\n');
  appendFileSync(join(threads, session_id), `${text}\n`);
  user(message.content);
  const cmd = /long time/.test(text) ? 'sleep 60' : 'echo out; echo err >&2; exit 3';
  const id = `toolu_${randomUUID()}`;
  const call = { type: 'tool_use', id, name: 'Bash', input: { cmd, cwd: process.cwd() } };
  assistant([{ type: 'text', text: 'I run it.' }, call], 'tool_use');
  const done = await run(cmd);
  const content = JSON.stringify(done);
  user([{ type: 'tool_result', tool_use_id: id, content, is_error: false }]);
  last = `It ended with ${done.exitCode}.`;
  assistant([{ type: 'text', text: last }], 'end_turn');
}
const duration_ms = Date.now() - begun;
send({
  type: 'result',
  subtype: 'success',
  duration_ms,
  is_error: false,
  num_turns: 1,
  result: last,
  session_id,
});

function run(command) {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('close', (code) => resolve({ output, exitCode: code ?? 1 }));
  });
}

function fail(why) {
  process.stderr.write(`amp: ${why}\n`);
  process.exit(1);
}
