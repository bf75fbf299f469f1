#!/bin/sh
# Starts workerd in place of this shell, so that the pid noted here is workerd's own.
# FILEPATH_WORKERD: the binary. FILEPATH_ENGINE_FILE: where its identity is noted.
# FILEPATH_SOCKETS: the directory of the sockets that only this user can reach.
set -eu

rm -f "$FILEPATH_SOCKETS/entry"

if [ -r "/proc/$$/stat" ]; then
  stat=$(cat "/proc/$$/stat")
  # shellcheck disable=SC2086
  set -- "$(echo ${stat##*)} | cut -d ' ' -f 20)/$(cat /proc/sys/kernel/random/boot_id)" "$@"
else
  set -- "$(LC_ALL=C ps -p $$ -o lstart= | tr -s ' ' | sed 's/^ //; s/ $//')" "$@"
fi
printf '{"pid":%d,"startTime":"%s"}\n' "$$" "$1" >"$FILEPATH_ENGINE_FILE.new"
mv "$FILEPATH_ENGINE_FILE.new" "$FILEPATH_ENGINE_FILE"
shift

# workerd dies with the process that embeds it, so that the port and the databases are free again.
if command -v setpriv >/dev/null 2>&1 && setpriv --pdeathsig KILL -- true 2>/dev/null; then
  exec setpriv --pdeathsig KILL -- "$FILEPATH_WORKERD" "$@"
fi
exec "$FILEPATH_WORKERD" "$@"
