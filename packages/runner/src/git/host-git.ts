import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../executor/executor.ts';
import { coveredStdio } from '../executor/inherited.ts';
import { findTool, installCommand } from '../executor/tools.ts';
import { signal as send } from '../proc.ts';
import { hostConfig, PASSWORD_VARIABLE, USER_VARIABLE } from './config.ts';
import type { Remote } from './remote.ts';

const OUTPUT_BYTES = 8192;
const LINE_BYTES = 4096;

/** What git, ssh and curl need of the runner's own environment, and nothing else of it. */
const PASSED =
  'PATH HOME USER LOGNAME SSH_AUTH_SOCK http_proxy https_proxy HTTPS_PROXY no_proxy NO_PROXY'.split(
    ' ',
  );

export type GitJob = {
  args: readonly string[];
  remote: Remote;
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  signal: AbortSignal;
  /** A file that git reads as its stdin. */
  stdin?: number;
  /** Most memory of each of git's processes, and the largest file that one may write: for data of an agent. */
  bounds?: { memory: number; file: number };
  /** Each line of stdout, its start where it is long. */
  onOutLine?(line: string): void;
  /** Each line of stderr; true keeps it out of `said`. */
  onLine?(line: string): boolean;
};

export type GitResult = {
  status: number | null;
  /** The start of stdout, and the sha256 of all of it. */
  out: string;
  outHash: string;
  /** The end of stderr. */
  said: string;
  timedOut: boolean;
};

/**
 * git on the host, on a repository that is the runner's own. Never with an agent's workspace: the configuration
 * of a repository names programs that git starts.
 */
export async function hostGit(job: GitJob): Promise<GitResult> {
  const git = findTool('git', job.env);
  if (git === null) {
    throw new Refusal(`git is not installed: run \`${installCommand('git')}\``);
  }
  const folder = mkdtempSync(join(tmpdir(), 'filepath-git-'));
  try {
    const config = join(folder, 'config');
    writeFileSync(config, hostConfig(job.remote), { mode: 0o600 });
    // A runner that is killed takes its git along.
    const setpriv = findTool('setpriv', job.env);
    const along = setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL'];
    const [file = git, ...args] = [...along, ...bounded(job), git, ...job.args];
    const stdio: (number | 'ignore' | 'pipe')[] = coveredStdio();
    stdio[1] = 'pipe';
    stdio[2] = 'pipe';
    if (job.stdin !== undefined) stdio[0] = job.stdin;
    const env = environment(job, config);
    return await wait(job, spawn(file, args, { cwd: '/', detached: true, env, stdio }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without the program that sets them, nothing is read that needs bounds. */
function bounded({ bounds, env }: GitJob): string[] {
  if (bounds === undefined) return [];
  const prlimit = findTool('prlimit', env);
  if (prlimit === null) {
    throw new Refusal(`prlimit is not installed: run \`${installCommand('util-linux')}\``);
  }
  return [prlimit, `--data=${bounds.memory}`, `--fsize=${bounds.file}`, '--'];
}

function environment({ env, remote }: GitJob, config: string): NodeJS.ProcessEnv {
  const result: NodeJS.ProcessEnv = {
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    // A repository may name another one, and the program to reach it with, for objects that it lacks.
    GIT_NO_LAZY_FETCH: '1',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=30',
    GIT_SSH_VARIANT: 'ssh',
    SSH_ASKPASS_REQUIRE: 'never',
  };
  for (const name of PASSED) if (env[name] !== undefined) result[name] = env[name];
  if (remote.kind === 'url' && remote.credentials !== null) {
    result[USER_VARIABLE] = remote.credentials.user;
    result[PASSWORD_VARIABLE] = remote.credentials.password;
  }
  return result;
}

function wait(job: GitJob, child: ChildProcess): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    let out = '';
    const outHash = createHash('sha256');
    let said = '';
    let rest = '';
    let outRest = '';
    let timedOut = false;
    const take = (line: string): void => {
      if (line === '' || job.onLine?.(line) === true) return;
      said = `${said}${line}\n`.slice(-OUTPUT_BYTES);
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      outHash.update(text);
      if (out.length < OUTPUT_BYTES) out = (out + text).slice(0, OUTPUT_BYTES);
      if (job.onOutLine === undefined) return;
      const lines = (outRest + text).split('\n');
      outRest = (lines.pop() ?? '').slice(0, LINE_BYTES);
      for (const line of lines) job.onOutLine(line.slice(0, LINE_BYTES));
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split(/[\r\n]+/);
      rest = (lines.pop() ?? '').slice(-LINE_BYTES);
      for (const line of lines) take(line);
    });
    const end = (): void => {
      if (child.pid !== undefined) send(-child.pid, 'SIGKILL');
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, job.timeoutMs);
    job.signal.addEventListener('abort', end, { once: true });
    if (job.signal.aborted) end();
    const done = (): void => {
      clearTimeout(timer);
      job.signal.removeEventListener('abort', end);
    };
    child.on('error', (error) => {
      done();
      reject(error);
    });
    child.on('close', (status) => {
      done();
      take(rest);
      if (outRest !== '') job.onOutLine?.(outRest);
      resolve({ status, out, outHash: outHash.digest('hex'), said, timedOut });
    });
  });
}
