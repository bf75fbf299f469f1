// npm test: every stage, whatever failed before; the last line counts. Names of stages run only those.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

import { stages } from './checks/stages.mjs';
import { runVitest } from './checks/vitest.mjs';
import { environment } from './node24.mjs';
import {
  ensureBubblewrap,
  ensureChromium,
  ensurePodman,
  installCommand,
} from './system-packages.mjs';

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !stages.some((stage) => stage.name === name));
if (unknown !== undefined) {
  console.error(
    `There is no stage "${unknown}"; the stages are ${stages.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}
const chosen = stages.filter(({ name, onlyWhenAsked }) =>
  asked.length === 0 ? !onlyWhenAsked : asked.includes(name),
);
const needed =
  chosen.some(({ needsBuild }) => needsBuild) && !chosen.some(({ name }) => name === 'build');
const wanted = needed ? [...stages.filter(({ name }) => name === 'build'), ...chosen] : chosen;

const programs = await findPrograms(new Set(wanted.flatMap(({ needs = [] }) => needs)));
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => (interrupted = true));

let built = true;
const results = [];
for (const stage of wanted) {
  if (interrupted) break;
  console.log(`\n── ${stage.name}`);
  const started = performance.now();
  const result = await runStage(stage);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (stage.name === 'build') built = result.failed === 0;
  for (const message of result.messages) console.log(`   ${message}`);
  results.push({ name: stage.name, seconds, ...result });
  console.log(`── ${stage.name}: ${result.passed} passed, ${result.failed} failed, ${seconds} s`);
}

const passed = sum('passed');
const failed = sum('failed') + (interrupted ? 1 : 0);
console.log('\nstage         passed  failed  seconds');
for (const result of results) {
  console.log(
    `${result.name.padEnd(12)} ${String(result.passed).padStart(7)} ${String(result.failed).padStart(7)} ${result.seconds.padStart(8)}`,
  );
}
const faults = results.flatMap(({ name, messages }) => messages.map((text) => `${name}: ${text}`));
if (faults.length > 0) console.log(`\nWhat failed:\n${faults.join('\n')}`);
// Who runs the tests in parts gathers here what to say at the end of all of them.
if (process.env.FILEPATH_FAULTS !== undefined && faults.length > 0)
  appendFileSync(process.env.FILEPATH_FAULTS, `${faults.join('\n')}\n`);
if (interrupted) console.log('\nInterrupted: not every stage ran.');
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function sum(what) {
  return results.reduce((total, result) => total + result[what], 0);
}

async function runStage(stage) {
  if (stage.needsBuild && !built)
    return { passed: 0, failed: 1, messages: ['not run: the build failed'] };
  const missing = (stage.needs ?? []).filter((name) => programs[name] === null);
  if (missing.length > 0) {
    const messages = missing.map(
      (name) => `not run: ${name} is missing; install it with: ${installCommand(name)}`,
    );
    return { passed: 0, failed: 1, messages };
  }
  return stage.projects ? runVitest(stage.projects) : runCheck(stage.runs());
}

/** Sequences of programs, two at a time; one that fails ends its sequence. */
async function runCheck(sequences) {
  const messages = [];
  const left = [...sequences];
  const work = async () => {
    for (let sequence = left.shift(); sequence !== undefined; sequence = left.shift()) {
      const message = await runSequence(sequence);
      if (message !== null) messages.push(message);
    }
  };
  await Promise.all([work(), work()]);
  const failed = messages.length > 0 ? 1 : 0;
  return { passed: 1 - failed, failed, messages };
}

async function runSequence(runs) {
  for (const { command, cwd } of runs) {
    const { code, output } = await quietly(command, cwd);
    if (code !== 0) return `${command.slice(1).join(' ')} ended with ${code}\n${output.trim()}`;
  }
  return null;
}

function quietly([command, ...args], cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...environment(), CI: 'true', NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: output.slice(-30_000) }));
  });
}

async function findPrograms(names) {
  const found = { bubblewrap: null, chromium: null, podman: null };
  if (names.has('bubblewrap')) found.bubblewrap = await ensureBubblewrap();
  if (names.has('podman')) found.podman = await ensurePodman();
  if (names.has('chromium')) {
    found.chromium = await ensureChromium();
    if (found.chromium !== null) process.env.CHROME_PATH = found.chromium;
  }
  return found;
}
