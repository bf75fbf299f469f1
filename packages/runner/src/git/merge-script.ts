import { CONFLICT_FILES } from '@filepath/protocol';
import { MIRROR } from '../executor/clone.ts';
import { EXPORTS } from './diff-script.ts';
import { SECTION } from './sections.ts';

/** Most that is read of a file in conflict. */
const FILE_BYTES = 256 * 1024;
/** What the first line says where there is no commit. */
export const CONFLICT = 'conflict';
/** Most bytes that a conflict has. */
export const CONFLICT_BYTES = CONFLICT_FILES * (FILE_BYTES + 8192) + 4096;

/**
 * Joins two commits of the mirror in an empty repository at /workspace, without a checkout. Puts the commit and a pack on
 * stdout; or `conflict` and the files. Arguments: both commits, the message, the kind of hashes.
 */
export const MERGE = `
${EXPORTS}
git init --quiet --bare --template= --object-format="$4" /workspace && cd /workspace || exit
mkdir -p objects/info && echo ${MIRROR}/objects > objects/info/alternates || exit
git merge-tree --write-tree --no-messages --name-only -z "$1" "$2" > /tmp/merge
case $? in
0)
  tree=$(tr '\\0' '\\n' < /tmp/merge | head -n 1)
  commit=$(git commit-tree "$tree" -p "$1" -p "$2" -m "$3" < /dev/null) || exit
  echo "$commit"
  printf '%s\\n^%s\\n^%s\\n' "$commit" "$1" "$2" |
    git pack-objects --revs --stdout --thin --delta-base-offset --quiet
  ;;
1)
  echo ${CONFLICT}
  cat > /tmp/one <<'END'
${SECTION}
printf %s "$2" > /tmp/path
git cat-file blob "$1:$2" > /tmp/blob 2> /dev/null || : > /tmp/blob
section path /tmp/path 4096
section content /tmp/blob ${FILE_BYTES}
END
  tree=$(tr '\\0' '\\n' < /tmp/merge | head -n 1)
  sed -z -n '2,$ { /^$/q; p }' /tmp/merge | head -z -n ${CONFLICT_FILES + 1} | xargs -0 -r -n 1 sh /tmp/one "$tree"
  ;;
*) exit 1 ;;
esac
`;

/**
 * Moves the branch of a workspace to a commit that it leads to, where nothing in it is changed. Arguments: the commit, the
 * branch.
 */
export const FORWARD = `
${EXPORTS}
cd /workspace || exit
[ "$(git symbolic-ref --quiet HEAD)" = "refs/heads/$2" ] || { echo 'it is on another branch' >&2; exit 1; }
changed=$(git status --porcelain --untracked-files=no) || exit
[ -z "$changed" ] || { echo 'it has changes that are not committed' >&2; exit 1; }
git merge --quiet --ff-only --no-stat "$1"
`;
