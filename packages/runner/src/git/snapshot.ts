import type { TaskResult } from '../executor/executor.ts';

/** Most that a child's start may bring beside what the mirror has. */
export const START_BYTES = 512 * 1024 * 1024;

/** The workspace as a commit. `files`: how many differ from HEAD; none: `commit` is HEAD itself. */
export type Snapshot = {
  commit: string;
  files: number;
  /** Objects were written out for it. */
  packed: boolean;
  /** Some files could not be read, were too large or too many. */
  partial: boolean;
};

/** Files above this are left out where not everything fits. */
const LARGE_MIB = 16;

/** More changes than this are no work of an agent's own, but what a build or an install left: new files are then left out. */
const MOST_CHANGES = 10_000;

/** git's settings wherever it looks at a workspace for us: what its configuration names is not started, where that is possible. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.splitIndex', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never'],
];

/** Objects that are in memory for a moment only. */
const PASSING: readonly (readonly [string, string])[] = [['core.looseCompression', '0']];

/** The system's git, not one that the agent installed; filters may be the agent's. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/home/agent/.local/bin';

/** For git inside a sandbox, on a workspace that its agent may have made hostile. */
export function snapshotEnvironment(passing: boolean): Map<string, string> {
  const settings = passing ? [...SETTINGS, ...PASSING] : SETTINGS;
  const who = ['AUTHOR', 'COMMITTER'].flatMap((role): [string, string][] => [
    [`GIT_${role}_NAME`, 'filepath'],
    [`GIT_${role}_EMAIL`, 'filepath@localhost'],
  ]);
  return new Map([
    ['PATH', PATH],
    ['HOME', '/home/agent'],
    ['LANG', 'C.UTF-8'],
    ...who,
    ['GIT_TERMINAL_PROMPT', '0'],
    ['GIT_OPTIONAL_LOCKS', '0'],
    // History is what it is, not what the repository says to see in its place.
    ['GIT_NO_REPLACE_OBJECTS', '1'],
    ['GIT_GRAFT_FILE', '/dev/null'],
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([name, value], index): [string, string][] => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
}

/** Lists what is not committed in /tmp/changes. */
export const CHANGES = `
cd /workspace || exit
[ -e .git ] || { echo 'there is no repository in it' >&2; exit 1; }
[ -z "$(find .git/ -maxdepth 1 -type p -print -quit)" ] || { echo 'there is a pipe in its .git' >&2; exit 1; }
git status --porcelain --untracked-files=all --no-renames > /tmp/changes || exit
`;

/**
 * Makes `$commit` of HEAD and the changes, by an index of its own: index, HEAD and files of the workspace stay as they
 * are. The index is copied with its time, by which git knows which files it has to read. With `$scratch` new objects are
 * there. Argument 1 is the commit's message.
 */
export const SNAPSHOT = `
head= files=0 whole=all what=--all
if git rev-parse --quiet --verify HEAD > /dev/null; then head=$(git rev-parse --verify 'HEAD^{commit}') || exit; fi
commit=$head
copy() { rm -rf /tmp/index /tmp/index.lock; [ ! -f "$index" ] || cp -p "$index" /tmp/index; }
take() {
  git add $what --ignore-errors --pathspec-from-file=/tmp/paths --pathspec-file-nul
  case $? in 0) ;; 1) whole=some ;; *) return 1 ;; esac
}
keep() {
  index=$(git rev-parse --path-format=absolute --git-path index) || return
  objects=$(git rev-parse --path-format=absolute --git-path objects) || return
  export GIT_INDEX_FILE=/tmp/index
  if [ -n "$scratch" ]; then
    mkdir "$scratch" || return
    export GIT_OBJECT_DIRECTORY=$scratch
    export GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects\${mirror:+:$mirror/objects}"
  fi
  [ "$(wc -l < /tmp/changes)" -le ${MOST_CHANGES} ] || { what=--update whole=some; }
  printf '.\\0' > /tmp/paths
  copy || return
  take || {
    [ -z "$scratch" ] || rm -rf "$scratch"/*
    whole=some
    find . -name .git -prune -o -type f -size +${LARGE_MIB}M -printf ':(exclude,literal)%P\\0' >> /tmp/paths
    copy && take
  } || return
  tree=$(git write-tree) || return
  if [ -n "$head" ]; then base=$(git rev-parse --verify "$head^{tree}") || return
  else base=$(git hash-object -t tree /dev/null); fi
  [ "$tree" != "$base" ] || return 0
  if [ -n "$head" ]; then files=$(git diff-tree -r --name-only --no-renames --no-ext-diff "$head" "$tree" | wc -l)
  else files=$(git ls-tree -r --name-only "$tree" | wc -l); fi
  commit=$(git commit-tree "$tree" \${head:+-p "$head"} -m "$1" < /dev/null)
}
[ ! -s /tmp/changes ] || keep "$1" || exit
[ -n "$commit" ] || { echo 'there is no commit in it' >&2; exit 1; }
tell() { printf '\\nfilepath-snapshot %s %s %s %s\\n' "$commit" "$files" "$1" "$whole" >&2; }
`;

/**
 * Puts the snapshot and what the mirror lacks of it on stdout, as a pack. Nothing is written to the workspace: new objects
 * are in memory, which bounds them. Argument 2 is the mirror, or empty.
 */
export const PACK = `
ulimit -f ${START_BYTES / 512}
scratch=/tmp/objects mirror=$2
[ -z "$mirror" ] || export GIT_ALTERNATE_OBJECT_DIRECTORIES="$mirror/objects"
${CHANGES}
${SNAPSHOT}
{
  echo "$commit"
  [ -z "$mirror" ] || git --git-dir="$mirror" for-each-ref --format='^%(objectname)'
} > /tmp/revs || exit
if [ -n "$(git rev-list --max-count=1 --stdin < /tmp/revs)" ]; then
  git pack-objects --quiet --revs --stdout < /tmp/revs || exit
  tell packed
else
  tell known
fi
`;

/** Keeps the snapshot under the ref that is argument 2, unless an earlier one under argument 3 was the last and has the same files. */
export const KEEP = `
scratch= mirror=
${CHANGES}
[ -s /tmp/changes ] || { echo filepath-clean; exit 0; }
${SNAPSHOT}
if [ "$files" -gt 0 ]; then
  set -- "$2" $(git for-each-ref --sort=-version:refname --count=1 --format='%(refname) %(tree)' "$3")
  if [ "\${3-}" = "$tree" ] && [ "$2" != "$1" ]; then files=0
  else git update-ref "$1" "$commit" || exit; fi
fi
tell known
`;

/** There is nothing to make a snapshot of. */
export const isClean = ({ status, output }: TaskResult): boolean =>
  status === 0 && /^filepath-clean$/m.test(output);

const TOLD =
  /^filepath-snapshot ([0-9a-f]{40}|[0-9a-f]{64}) +(\d{1,9}) (packed|known) (all|some)$/gm;

/** What the script told, as its last word; null where it failed. All of it is said inside the agent's sandbox. */
export function snapshotOf(result: TaskResult): Snapshot | null {
  if (result.status !== 0) return null;
  const [, commit, files, packed, whole] = [...result.output.matchAll(TOLD)].at(-1) ?? [];
  if (commit === undefined) return null;
  return {
    commit,
    files: Number(files),
    packed: packed === 'packed',
    partial: whole === 'some',
  };
}

/** Why there is none, in few words. */
export function failureOf(result: TaskResult, seconds: number): string {
  if (result.timedOut) return `git took longer than ${seconds} seconds`;
  return result.output.trim().slice(-500) || `git ended with ${result.status ?? 'a signal'}`;
}
