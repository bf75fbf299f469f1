import { TOUCHED_FILES } from '@filepath/protocol';
import { CHANGES, SNAPSHOT, snapshotEnvironment } from './snapshot.ts';
import { SECTION } from './sections.ts';

/** Most that is read of lists of files, and of a patch. */
const LIST_BYTES = 4 * 2 ** 20;
export const PATCH_BYTES = 2 * 2 ** 20;
/** Most that the script gives in all. */
export const DIFF_BYTES = 6 * LIST_BYTES + 2 * PATCH_BYTES + 4096;

/** Largest file that is looked at, in blocks of 512 bytes. */
const FILE_BLOCKS = (64 * 2 ** 20) / 512;

/** Most files among which those that went elsewhere are looked for. */
const RENAMES = 200;

const OPTIONS =
  '-r --no-commit-id --no-renames --no-ext-diff --no-textconv --no-color --submodule=short';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** git's settings, as exports: they are stronger than the configuration of the workspace. */
export const EXPORTS = [...snapshotEnvironment(true)]
  .filter(([name]) => name.startsWith('GIT_'))
  .map(([name, value]) => `export ${name}=${quoted(value)}`)
  .join('\n');

/**
 * Compares the workspace as it stands with the commit at which its work began. Nothing is written to it. Arguments: a
 * message, the mirror or empty, the commit or empty, lines of context or `ranges`, a file or empty.
 */
export const DIFF = `
ulimit -f ${FILE_BLOCKS}
${EXPORTS}
${SECTION}
scratch=/tmp/objects mirror=$2
[ -z "$mirror" ] || export GIT_ALTERNATE_OBJECT_DIRECTORIES="$mirror/objects"
${CHANGES}
${SNAPSHOT}
# The commit up to which the history of one is that of the remote's branch.
shared() {
  there=$(git --git-dir="$mirror" rev-parse --quiet --verify 'HEAD^{commit}') &&
    git merge-base "$1" "$there" 2> /dev/null
}
base=$3
[ -z "$base" ] || git cat-file -e "$base^{commit}" 2> /dev/null || base=
if [ -z "$base" ] && [ -n "$mirror" ] && [ -n "$head" ]; then
  base=$(shared "$head") || base=
fi
from=$base
[ -n "$from" ] || from=$(git hash-object -t tree /dev/null)
printf '%s %s %s %s\\n' "\${base:--}" "\${head:-$commit}" "$files" "$whole" > /tmp/head
compare() {
  one=$1 two=$2 file=$3
  shift 3
  git --literal-pathspecs diff-tree ${OPTIONS} "$@" "$one" "$two" \${file:+-- "$file"}
}
compare "$from" "$commit" "$5" --raw --no-abbrev -z > /tmp/raw || exit
compare "$from" "$commit" "$5" --numstat -z > /tmp/counts || exit
: > /tmp/committed
[ -z "$head" ] || compare "$from" "$head" "$5" --name-only -z > /tmp/committed || exit
compare "\${head:-$from}" "$commit" "$5" --name-only -z > /tmp/uncommitted || exit
if [ "$4" = ranges ]; then
  lines() { sed -n '/^diff --git /p;/^@@ /p' | head -c ${PATCH_BYTES}; }
  compare "$from" "$commit" "$5" --unified=0 | lines > /tmp/patch
  : > /tmp/renames
  tr '\\0' '\\n' < /tmp/raw > /tmp/rows
  if grep -q '^:.* A$' /tmp/rows && grep -q '^:.* D$' /tmp/rows; then
    compare "$from" "$commit" "$5" --find-renames -l${RENAMES} --diff-filter=R --name-status -z > /tmp/renames || exit
  fi
  : > /tmp/origin : > /tmp/origin-patch
  origin=
  [ -z "$base" ] || [ -z "$mirror" ] || origin=$(shared "$base") || origin=
  if [ -n "$origin" ] && [ "$origin" != "$base" ]; then
    compare "$from" "$commit" "$5" --name-only -z | head -z -n ${TOUCHED_FILES} > /tmp/names
    before() {
      xargs -0 -r git --literal-pathspecs diff-tree ${OPTIONS} "$@" "$origin" "$base" -- < /tmp/names
    }
    before --raw --no-abbrev -z > /tmp/origin || exit
    before --unified=0 | lines > /tmp/origin-patch
  fi
  section renames /tmp/renames ${LIST_BYTES} && section origin /tmp/origin ${LIST_BYTES} &&
    section origin-patch /tmp/origin-patch ${PATCH_BYTES} || exit
else
  compare "$from" "$commit" "$5" --unified="$4" | head -c ${PATCH_BYTES} > /tmp/patch
fi
section head /tmp/head 4096 && section raw /tmp/raw ${LIST_BYTES} && section counts /tmp/counts ${LIST_BYTES} &&
  section committed /tmp/committed ${LIST_BYTES} && section uncommitted /tmp/uncommitted ${LIST_BYTES} &&
  section patch /tmp/patch ${PATCH_BYTES}
`;
