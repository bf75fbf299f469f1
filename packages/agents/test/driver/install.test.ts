import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { standIn } from '../stand-in.ts';

const isDecision = ({ type }: AgentEvent): boolean => type === 'decision';
const isError = (event: AgentEvent): boolean => event.type === 'status' && event.state === 'error';

/** Puts a CLI where npm would, and says how it was called. */
const NPM = `
const fs = require('node:fs');
const args = process.argv.slice(2);
const bin = args[args.indexOf('--prefix') + 1] + '/bin';
fs.mkdirSync(bin, { recursive: true });
fs.writeFileSync(bin + '/claude', '#!' + process.execPath + '\\n' + ${JSON.stringify(`
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', () => {
  say({ type: 'system', subtype: 'init', session_id: 's1' });
  say({ type: 'result', subtype: 'success', is_error: false });
  say({ type: 'system', subtype: 'session_state_changed', state: 'idle' });
});
`)}, { mode: 0o755 });
console.log('added 1 package');
process.exit(0);
`;

describe('a CLI that is not installed', () => {
  it('[DRV2] is offered at its pinned version, installed into the home, and used', async () => {
    using it = standIn({ npm: NPM });
    await it.agent.say('go');
    const asked = await it.agent.until(isDecision, 'the offer');
    expect(asked).toMatchObject({
      prompt:
        "Claude Code is not installed: install @anthropic-ai/claude-code@2.1.312 with npm into this agent's home?",
      options: ['install', 'cancel'],
    });
    await it.agent.decide(String(Reflect.get(asked, 'id')), 'install');
    const ran = await it.agent.until(
      (event) => event.type === 'command' && event.status === 'done',
      'the installation',
    );
    expect(ran).toMatchObject({
      cmd: `npm install --global --prefix ${it.home}/.local --no-audit --no-fund @anthropic-ai/claude-code@2.1.312`,
      exit: 0,
    });
    await it.agent.until(({ type }) => type === 'done', 'the end of the turn');
    await it.agent.end();
    expect(existsSync(join(it.home, '.local/bin/claude'))).toBe(true);
  });

  it('[DRV2] is not installed if the person does not want it', async () => {
    using it = standIn({ npm: NPM });
    await it.agent.say('go');
    const asked = await it.agent.until(isDecision, 'the offer');
    await it.agent.decide(String(Reflect.get(asked, 'id')), 'cancel');
    const end = await it.agent.until(isError, 'the end of the run');
    expect(Reflect.get(end, 'reason')).toContain('is not installed');
    await it.agent.end();
    expect(existsSync(join(it.home, '.local'))).toBe(false);
  });

  it('[DRV2] whose installation fails says how', async () => {
    using it = standIn({ npm: `process.stderr.write('E404 no such package'); process.exit(1);` });
    await it.agent.say('go');
    const asked = await it.agent.until(isDecision, 'the offer');
    await it.agent.decide(String(Reflect.get(asked, 'id')), 'install');
    const end = await it.agent.until(isError, 'the end of the run');
    expect(Reflect.get(end, 'reason')).toMatch(/exit status 1: E404 no such package/);
    await it.agent.end();
  });

  it('[DRV2] that only a person can install says what to do', async () => {
    const hint = 'Install it as its site says.';
    using it = standIn({}, { entry: { install: { from: 'person', hint } } });
    await it.agent.say('go');
    const end = await it.agent.until(isError, 'the end of the run');
    expect(Reflect.get(end, 'reason')).toBe(`Claude Code: claude is not installed. ${hint}`);
    await it.agent.end();
  });
});
