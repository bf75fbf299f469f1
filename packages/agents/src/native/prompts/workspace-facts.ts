import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cutMiddle } from '@filepath/loop';
import type { Place } from '../place.ts';

const run = promisify(execFile);
const MAX_CHARS = 16_000;

/** What a prompt says of the workspace: the branch, and the repository's own words for agents. */
export async function workspaceFacts({ workspace }: Place): Promise<string> {
  const branch = await branchOf(workspace);
  const facts = [
    `The workspace is ${workspace}${branch === null ? '. It is no git repository.' : `, a git repository on branch ${branch}.`}`,
    `Today is ${new Date().toISOString().slice(0, 10)}.`,
  ];
  const guide = await guideOf(workspace);
  if (guide) facts.push(`The repository's ${guide.name} says:\n\n${guide.text}`);
  return facts.join('\n');
}

async function branchOf(cwd: string): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['branch', '--show-current'], { cwd, timeout: 10_000 });
    return stdout.trim() || '(none: detached)';
  } catch {
    return null;
  }
}

async function guideOf(workspace: string): Promise<{ name: string; text: string } | null> {
  for (const name of ['AGENTS.md', 'CLAUDE.md']) {
    const text = await readFile(join(workspace, name), 'utf8').catch(() => null);
    if (text !== null) return { name, text: cutMiddle(text, MAX_CHARS) };
  }
  return null;
}
