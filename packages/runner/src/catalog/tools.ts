import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { AgentInstall } from '@filepath/protocol';
import { Refusal } from '../executor/executor.ts';
import { runOnce } from '../executor/once.ts';
import { SELF_TEST_UID } from '../executor/self-test.ts';
import { findTool, installCommand } from '../executor/tools.ts';
import { npmFolder, PROVIDED } from './provided.ts';

type Npm = Extract<AgentInstall, { from: 'npm' }>;

export type ToolsContext = {
  /** `$FILEPATH_HOME`. */
  home: string;
  env: NodeJS.ProcessEnv;
  /** A line of what npm says. */
  tell: (line: string) => void;
  signal: AbortSignal;
};

const SCRIPTS_MS = 10 * 60_000;
const VERSION_MS = 60_000;
/** What npm may know of this process's environment. */
const HANDED_ON =
  /^(PATH|HOME|USER|LANG|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(npm_config_.*)|((https?|no|all)_proxy))$/i;

/**
 * Puts a program of npm's among the tools of all agents, at its pinned version. No script of a package runs on the
 * host: where one is needed to make the program, it runs in a sandbox that has nothing but the tools. Throws a Refusal.
 */
export async function installTool(install: Npm, context: ToolsContext): Promise<void> {
  const { home, env, signal } = context;
  const npm = npmFolder(env);
  if (npm === null) throw new Refusal('npm is not on this machine: install Node.js with npm');
  const tools = join(home, 'tools');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  mkdirSync(tools, { recursive: true, mode: 0o755 });
  const name = `${install.package}@${install.version}`;
  const options = ['--global', '--prefix', tools, '--no-audit', '--no-fund', '--ignore-scripts'];
  const command = [process.execPath, join(npm, 'bin/npm-cli.js'), 'install', ...options, name];
  const status = await onHost(command, context);
  if (signal.aborted) throw new Refusal('the installation was given up');
  if (status !== 0) throw new Refusal(`npm could not install ${name}: see above`);
  if (install.scripts === true) await runScripts(install, tools, npm, context);
}

/** What a program among the tools says of its version, asked in a sandbox as agents have it. Throws a Refusal. */
export async function toolVersion(program: string, context: ToolsContext): Promise<string> {
  const empty = mkdtempSync(join(tmpdir(), 'filepath-tool-'));
  // The sandbox has another user.
  chmodSync(empty, 0o755);
  try {
    const { status, output } = await runOnce({
      ...sandboxOf(context),
      sources: [empty, join(context.home, 'tools'), process.execPath],
      mounts: ([workspace = '', tools = '', node = '']) => ({
        workspace,
        home: null,
        readOnly: true,
        extra: ['--ro-bind', tools, PROVIDED.tools, '--ro-bind', node, PROVIDED.node],
      }),
      command: [`${PROVIDED.tools}/bin/${basename(program)}`, '--version'],
      timeoutMs: VERSION_MS,
    });
    if (status !== 0) throw new Refusal(`${program} --version fails: ${output.trim().slice(-500)}`);
    return output.trim().split('\n').at(-1) ?? '';
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
}

async function runScripts(
  install: Npm,
  tools: string,
  npm: string,
  context: ToolsContext,
): Promise<void> {
  const sandbox = sandboxOf(context);
  context.tell(`running the scripts of ${install.package} in a sandbox`);
  await give(tools, sandbox.uid, context);
  try {
    const { status, output } = await runOnce({
      ...sandbox,
      sources: [tools, process.execPath, npm],
      mounts: ([workspace = '', node = '', npmSeen = '']) => ({
        workspace,
        home: null,
        extra: ['--ro-bind', node, PROVIDED.node, '--ro-bind', npmSeen, PROVIDED.npm],
      }),
      command: [
        PROVIDED.node,
        `${PROVIDED.npm}/bin/npm-cli.js`,
        'rebuild',
        '--global',
        '--prefix',
        '/workspace',
        '--offline',
        '--foreground-scripts',
        install.package,
      ],
      timeoutMs: SCRIPTS_MS,
    });
    if (status === 0) return;
    throw new Refusal(`the scripts of ${install.package} fail: ${output.trim().slice(-2000)}`);
  } finally {
    await give(tools, sandbox.uid === null ? null : 0, context);
  }
}

function sandboxOf({ env, signal }: ToolsContext) {
  const bwrap = findTool('bwrap', env);
  if (bwrap === null) {
    throw new Refusal(`bubblewrap is not installed: run \`${installCommand('bubblewrap')}\``);
  }
  const environment = new Map([
    ['PATH', `${PROVIDED.tools}/bin:/usr/local/bin:/usr/bin:/bin:/opt/filepath/bin`],
    ['HOME', '/tmp'],
    ['LANG', 'C.UTF-8'],
  ]);
  return { bwrap, uid: process.getuid?.() === 0 ? SELF_TEST_UID : null, environment, signal };
}

/** Links are given away themselves, not what they lead to. */
async function give(tools: string, uid: number | null, context: ToolsContext): Promise<void> {
  if (uid === null) return;
  const status = await onHost(['chown', '-R', '-h', '-P', `${uid}:${uid}`, tools], context);
  if (status !== 0) throw new Refusal(`${tools} cannot be given to the user ${uid}`);
}

/** Runs a program of this machine's. What it makes can be read by every user. */
function onHost(command: readonly string[], { env, tell, signal }: ToolsContext) {
  const handed = Object.entries(env).filter(([name]) => HANDED_ON.test(name));
  const child = spawn('/bin/sh', ['-c', 'umask 022; exec "$@"', 'sh', ...command], {
    env: Object.fromEntries(handed),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) if (line.trim() !== '') tell(line);
    });
  }
  return new Promise<number | null>((resolve, reject) => {
    child.on('error', (error) => (signal.aborted ? resolve(null) : reject(error)));
    child.on('close', resolve);
  });
}
