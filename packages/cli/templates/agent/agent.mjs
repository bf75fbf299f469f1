#!/usr/bin/env node
// A filepath agent without dependencies: it asks a model, runs the commands that the model wants, and says what happens.
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const { FILEPATH_BASE_URL: base, FILEPATH_API_KEY: key, FILEPATH_MODEL: model } = process.env;

const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

const SHELL = {
  name: 'shell',
  description: 'Runs a command with sh in the workspace.',
  input_schema: {
    type: 'object',
    properties: { command: { type: 'string' } },
    required: ['command'],
  },
};

/** Asks the model through the gateway, which has the provider's key. */
async function ask(messages) {
  const response = await fetch(`${base}/anthropic/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ model, max_tokens: 4096, tools: [SHELL], messages }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? `HTTP ${response.status}`);
  return answer.content;
}

/** Runs one command and gives its result back to the model. A command that fails is a result too. */
function runShell({ id, input }) {
  const cmd = String(input.command);
  say({ type: 'command', id, cmd, status: 'start' });
  const ran = spawnSync('sh', ['-c', cmd], { encoding: 'utf8', timeout: 60_000 });
  const { stdout, stderr } = ran;
  const exit = ran.status ?? 1;
  say({ type: 'command', id, cmd, status: exit === 0 ? 'done' : 'error', exit, stdout, stderr });
  const content = `exit ${exit}\n${stdout}${stderr}`.slice(0, 20_000);
  return { type: 'tool_result', tool_use_id: id, content };
}

/** Model and commands in turn, until the model has no more commands. */
async function work(messages) {
  for (;;) {
    say({ type: 'status', state: 'thinking' });
    const content = await ask(messages);
    messages.push({ role: 'assistant', content });
    for (const part of content) if (part.type === 'text') say({ type: 'text', content: part.text });
    const calls = content.filter((part) => part.type === 'tool_use');
    if (calls.length === 0) return;
    messages.push({ role: 'user', content: calls.map(runShell) });
  }
}

const messages = [];
for await (const line of createInterface({ input: process.stdin })) {
  const input = JSON.parse(line);
  if (input.type === 'signal' && input.action === 'stop') break;
  if (input.type !== 'message') continue;
  messages.push({ role: 'user', content: input.content });
  try {
    await work(messages);
    say({ type: 'done' });
  } catch (error) {
    say({ type: 'status', state: 'error', reason: error.message });
  }
}
