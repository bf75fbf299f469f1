import type { Scene } from './stage.ts';
import { linesOf } from './words.ts';

const TELLING = [
  /^README(\.\w+)?$/i,
  /^(AGENTS|CONTRIBUTING)\.md$/i,
  /^(package\.json|pyproject\.toml|Cargo\.toml|go\.mod|Makefile)$/,
  /^[^/]+\.(md|txt|rst|json|toml|ya?ml|ts|js|py|rs|go|c|h|java|rb|sh|html|css)$/i,
  /\.(md|txt|rst|json|toml|ya?ml|ts|js|py|rs|go|c|h|java|rb|sh|html|css)$/i,
];

/** The files that the first look has shown; folders are left out. */
export function filesOf(scene: Scene): string[] {
  const text = scene.result('look')?.text ?? '';
  return linesOf(text).filter((line) => !line.endsWith('/') && !/^\[|^Nothing is there/.test(line));
}

/** The file that says most about what this is. */
export function tellingFile(files: readonly string[]): string | null {
  const others = files.filter((file) => !file.startsWith('filepath-demo'));
  for (const pattern of TELLING) {
    const found = others.find((file) => pattern.test(file));
    if (found !== undefined) return found;
  }
  return null;
}

/** A name that no file has. */
export function freeName(files: readonly string[], stem: string): string {
  const taken = new Set(files);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${stem}.md` : `${stem}-${number}.md`;
    if (!taken.has(name)) return name;
  }
}

/** Without the numbers of the lines. */
export function firstLines(text: string, count: number): string[] {
  return linesOf(text)
    .map((line) => line.replace(/^\s*\d+\t/, ''))
    .filter((line) => line.trim() !== '')
    .slice(0, count);
}
