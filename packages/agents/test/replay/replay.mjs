#!/usr/bin/env node
// Stands for a CLI: says what was recorded of it, and waits where it was spoken to. CLI_REPLAY is the folder of the
// recording: 1.jsonl is its first process, 2.jsonl the second.
import { appendFileSync, existsSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = process.env.CLI_REPLAY ?? '';
const counter = join(process.env.HOME ?? '', 'replayed');
appendFileSync(counter, '.');
const file = join(folder, `${readFileSync(counter, 'utf8').length}.jsonl`);
if (!existsSync(file)) fail(`there is no ${file}`);
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');

/** The program that started this one, and its script: it names both where a CLI is to start it again. */
const driver = readlinkSync(`/proc/${process.ppid}/exe`);
const script = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8')
  .split('\0')
  .slice(1)
  .find((argument) => !argument.startsWith('-'));

/** What was made up for the recording, by what stands in its place now. */
const names = new Map([
  ['/workspace', process.cwd()],
  ['/home/agent', process.env.HOME ?? ''],
  ['/opt/filepath/node', driver],
  ['/opt/filepath/agent', script ?? ''],
]);
const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

for (const line of lines) {
  const step = JSON.parse(line);
  if (step.argv) compare(step.argv, process.argv.slice(2));
  else if (step.out) process.stdout.write(`${named(JSON.stringify(step.out))}\n`);
  else if (step.in) {
    const heard = await input.next();
    if (heard.done) process.exit(0);
    compare(step.in, JSON.parse(heard.value));
  }
}
// As the CLI: until stdin ends.
while (!(await input.next()).done);

function named(text) {
  let out = text;
  for (const [from, to] of names) out = out.replaceAll(from, to);
  return out;
}

/** What is said to the CLI is what was said then, but for ids that are new each time. */
function compare(recorded, heard) {
  if (typeof recorded === 'string' && typeof heard === 'string') {
    if (/^<[a-z]+-\d+>$/.test(recorded) && !names.has(recorded)) names.set(recorded, heard);
    if (named(recorded) !== heard) fail(`expected ${named(recorded)}, heard ${heard}`);
    return;
  }
  if (typeof recorded !== 'object' || recorded === null || typeof heard !== 'object') {
    if (recorded !== heard) fail(`expected ${recorded}, heard ${JSON.stringify(heard)}`);
    return;
  }
  const keys = new Set([...Object.keys(recorded), ...Object.keys(heard ?? {})]);
  for (const key of keys) compare(recorded[key], heard[key]);
}

function fail(why) {
  process.stderr.write(`replay: ${why}\n`);
  process.exit(9);
}
