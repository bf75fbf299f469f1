#!/usr/bin/env node
// Stands before a CLI and writes down what passes: CLI_RECORDED is the program, CLI_RECORD the folder.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = process.env.CLI_RECORD ?? '';
const counter = join(folder, 'count');
appendFileSync(counter, '.');
const file = join(folder, `${readFileSync(counter, 'utf8').length}.jsonl`);
const write = (step) => appendFileSync(file, `${JSON.stringify(step)}\n`);

write({ argv: process.argv.slice(2) });
const cli = spawn(process.env.CLI_RECORDED ?? '', process.argv.slice(2), {
  stdio: ['pipe', 'pipe', 'inherit'],
});
createInterface({ input: process.stdin })
  .on('line', (line) => {
    write({ in: JSON.parse(line) });
    cli.stdin.write(`${line}\n`);
  })
  .on('close', () => cli.stdin.end());
createInterface({ input: cli.stdout }).on('line', (line) => {
  write({ out: JSON.parse(line) });
  process.stdout.write(`${line}\n`);
});
cli.on('close', (code) => process.exit(code ?? 1));
