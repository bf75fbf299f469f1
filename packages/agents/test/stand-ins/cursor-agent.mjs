#!/usr/bin/env node
// Stands for Cursor's CLI, which cannot be installed from npm: `cursor-agent acp` as its documentation describes it.
// It needs CURSOR_API_KEY, signs in by cursor_login, asks before it runs a command, and runs one for each message.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

if (process.argv.slice(2).join(' ') !== 'acp') process.exit(64);
const chats = join(process.env.HOME ?? '', '.cursor/chats');
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionId, sessionUpdate, rest) =>
  send({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...rest } } });
const say = (sessionId, text) =>
  update(sessionId, 'agent_message_chunk', { content: { type: 'text', text } });

const asked = new Map();
let asks = 0;
let signedIn = false;
let running = null;
const modes = {
  currentModeId: 'agent',
  availableModes: ['agent', 'plan', 'ask'].map((id) => ({ id, name: id })),
};

const METHODS = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, promptCapabilities: { image: true } },
    authMethods: [{ id: 'cursor_login', name: 'Cursor Login' }],
  }),
  authenticate: ({ methodId }) => {
    if (methodId !== 'cursor_login' || !process.env.CURSOR_API_KEY) throw [-32000, 'Not logged in'];
    signedIn = true;
    return {};
  },
  'session/new': () => {
    if (!signedIn) throw [-32000, 'Authentication required'];
    const sessionId = randomUUID();
    mkdirSync(chats, { recursive: true });
    appendFileSync(join(chats, sessionId), '');
    return { sessionId, modes };
  },
  'session/load': ({ sessionId }) => {
    if (!existsSync(join(chats, sessionId))) throw [-32602, `Session "${sessionId}" not found`];
    say(sessionId, 'This was said before.');
    return { modes };
  },
  'session/prompt': prompt,
};

async function prompt({ sessionId, prompt: blocks }) {
  const text = blocks.map((block) => block.text).join('\n');
  appendFileSync(join(chats, sessionId), `${text}\n`);
  const command = /long time/.test(text) ? 'sleep 60' : 'echo out; echo err >&2; exit 3';
  const toolCallId = `tool_${randomUUID()}`;
  say(sessionId, 'I run ');
  say(sessionId, 'it.');
  update(sessionId, 'tool_call', {
    toolCallId,
    title: `\`${command}\``,
    kind: 'execute',
    status: 'pending',
    rawInput: { command },
  });
  const { outcome } = await ask({
    sessionId,
    toolCall: { toolCallId, title: `\`${command}\``, kind: 'execute', status: 'pending' },
    options: [
      { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'allow-always', name: 'Allow always', kind: 'allow_always' },
      { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
    ],
  });
  if (outcome.outcome === 'cancelled') return { stopReason: 'cancelled' };
  if (outcome.optionId === 'reject-once') {
    update(sessionId, 'tool_call_update', { toolCallId, status: 'failed' });
    say(sessionId, 'It was refused.');
    return { stopReason: 'end_turn' };
  }
  update(sessionId, 'tool_call_update', { toolCallId, status: 'in_progress' });
  const rawOutput = await run(command);
  if (rawOutput === null) return { stopReason: 'cancelled' };
  update(sessionId, 'tool_call_update', { toolCallId, status: 'completed', rawOutput });
  say(sessionId, `It ended with ${rawOutput.exitCode}.`);
  return { stopReason: 'end_turn' };
}

/** Null: it was cancelled. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    const out = { exitCode: 0, stdout: '', stderr: '' };
    child.stdout.on('data', (data) => (out.stdout += data));
    child.stderr.on('data', (data) => (out.stderr += data));
    running = child;
    child.on('close', (code, signal) => {
      running = null;
      resolve(signal ? null : { ...out, exitCode: code ?? 0 });
    });
  });
}

function ask(params) {
  const id = asks++;
  send({ id, method: 'session/request_permission', params });
  return new Promise((resolve) => asked.set(id, resolve));
}

async function hear(line) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return asked.get(id)?.(result);
  if (method === 'session/cancel') return running?.kill('SIGKILL');
  try {
    if (!METHODS[method]) throw [-32601, `Method not found: ${method}`];
    send({ id, result: await METHODS[method](params) });
  } catch (fault) {
    const [code, message] = Array.isArray(fault) ? fault : [-32603, String(fault)];
    send({ id, error: { code, message } });
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => void hear(line))
  .on('close', () => process.exit(0));
