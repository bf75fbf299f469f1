import { EXCLUDED } from '../executor/clone.ts';
import { type Place, Refusal, type RunTask } from '../executor/executor.ts';
import { snapshotEnvironment } from '../git/snapshot.ts';

const LOOK_MS = 5 * 60_000;

export type Seen = {
  /** What HEAD names; null where there is no commit. */
  commit: string | null;
  /** A file of that commit is missing or another. */
  changed: boolean;
  /** There are files beside that commit which no `.gitignore` names. */
  added: boolean;
};

/**
 * Index and settings of the repository are the agent's, and can hide any change. So files are compared with the commit by
 * an index and settings made here; of the repository only HEAD and the objects are taken, and those are hashed again. What git
 * would convert by a program or by the agent's words counts as a change; line endings that the repository declares do not.
 */
const LOOK = `
differs() (
  cd "$1" || exit
  objects=$(git rev-parse --path-format=absolute --git-path objects) || exit
  format=$(git rev-parse --show-object-format) || exit
  own=$(mktemp -d /tmp/look.XXXXXX) && mkdir "$own/objects" "$own/refs" "$own/info" || exit
  echo 'ref: refs/heads/none' > "$own/HEAD"
  printf '[core]\\nrepositoryformatversion = 1\\nbare = false\\n[extensions]\\nobjectFormat = %s\\n' "$format" > "$own/config"
  echo '${EXCLUDED}' > "$own/info/exclude"
  echo '* -filter -ident !working-tree-encoding' > "$own/info/attributes"
  export GIT_DIR="$own" GIT_WORK_TREE="$PWD" GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects"
  export HOME=/nonexistent GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_ATTR_NOSYSTEM=1
  if [ "$2" != none ]; then
    git cat-file commit "$2" > "$own/commit" && git read-tree "$2" || exit
    git ls-files --stage -z | GIT_INDEX_FILE="$own/again" git update-index -z --index-info || exit
    tree=$(GIT_INDEX_FILE="$own/again" git write-tree --missing-ok) || exit
    [ "$(git hash-object -t commit --stdin < "$own/commit")" = "$2" ] &&
    [ "$(head -n 1 "$own/commit")" = "tree $tree" ] || { echo "the objects of $2 are damaged" >&2; exit 1; }
    git update-index -q --refresh > /dev/null
    git diff-files --name-only --ignore-submodules=all >> /tmp/changed || exit
  fi
  git ls-files --others --exclude-standard --directory --no-empty-directory >> /tmp/added || exit
  git ls-files --stage | grep '^160000 ' > "$own/modules"
  unset GIT_DIR GIT_WORK_TREE GIT_ALTERNATE_OBJECT_DIRECTORIES
  tab=$(printf '\\t')
  while IFS= read -r line; do
    path=\${line#*"$tab"} rest=\${line#160000 }
    [ -e "$path" ] || [ -L "$path" ] || continue
    if [ -d "$path" ] && [ ! -L "$path" ] && [ -z "$(ls -A "$path")" ]; then continue; fi
    [ ! -L "$path" ] && [ -e "$path/.git" ] && differs "$path" "\${rest%% *}" || echo "$path" >> /tmp/changed
  done < "$own/modules"
)
cd /workspace || exit
: > /tmp/changed && : > /tmp/added || exit
if [ -e .git ]; then
  head=$(git rev-parse --quiet --verify 'HEAD^{commit}') || head=none
  differs . "$head" || exit
else head=none; fi
[ -s /tmp/changed ] && changed=changed || changed=same
[ -s /tmp/added ] && added=more || added=all
echo "filepath-gate $head $changed $added"
`;

const TOLD = /^filepath-gate ([0-9a-f]{40}|[0-9a-f]{64}|none) (same|changed) (all|more)$/gm;

/** How the workspace is beside the commit that HEAD names. All of it is said inside the agent's sandbox. */
export async function look(task: RunTask, place: Place, signal: AbortSignal): Promise<Seen> {
  const result = await task({
    place,
    environment: snapshotEnvironment(false),
    command: ['/bin/sh', '-c', LOOK],
    timeoutMs: LOOK_MS,
    readOnly: true,
    signal,
  });
  const [, head, changed, added] = [...result.output.matchAll(TOLD)].at(-1) ?? [];
  if (result.status !== 0 || head === undefined) {
    signal.throwIfAborted();
    throw new Refusal(`git cannot read the workspace: ${result.output.trim().slice(-500)}`);
  }
  const commit = head === 'none' ? null : head;
  return { commit, changed: changed === 'changed', added: added === 'more' };
}
