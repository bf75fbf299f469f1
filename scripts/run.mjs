// Running other programs. Plain JavaScript for Node 20.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs a program in the foreground: signals are passed on, its exit status is the result. */
export function foreground(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    // A terminal sends Ctrl-C to the child as well, which then gets it twice and takes both as one.
    const handlers = PASSED_ON.map((signal) => {
      const handler = () => child.kill(signal);
      process.on(signal, handler);
      return () => process.off(signal, handler);
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const remove of handlers) remove();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Runs a program, shows the seconds that pass, and keeps its output for the case that it fails. */
export function withProgress(label, command, args, options = {}) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const onTerminal = process.stdout.isTTY === true;
  const show = () => {
    if (onTerminal) process.stdout.write(`\r${label} … ${seconds()} `);
  };
  if (!onTerminal) console.log(`${label} …`);
  const ticking = setInterval(
    onTerminal ? show : () => console.log(`${label} … ${seconds()}`),
    onTerminal ? 1000 : 10_000,
  );
  show();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    const keep = (chunk) => (output = (output + chunk).slice(-20_000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const finish = (code) => {
      clearInterval(ticking);
      console.log(
        `${onTerminal ? '\r' : ''}${label}: ${code === 0 ? 'done' : 'failed'} in ${seconds()}   `,
      );
      resolve({ code, output });
    };
    child.on('error', (error) => {
      clearInterval(ticking);
      reject(error);
    });
    child.on('close', (code) => finish(code ?? 1));
  });
}
