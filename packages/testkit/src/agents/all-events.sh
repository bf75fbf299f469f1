# Prints every event of the protocol once, and hands off before the last; the fresh process says that one, then answers
# each further message until it is told to stop.
# With a task that begins with "child:" it is a child that works and exits.
# FILEPATH_TASK holds the first message, so that its line on stdin is skipped.

say() { printf '%s\n' "$1"; }

# A text as the inside of a JSON string.
escaped() {
  printf '%s' "$1" | tr -d '\000-\010\013-\037' | tr '\t' ' ' |
    sed -e ':a' -e '$!{N' -e 'ba' -e '}' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\n/\\n/g'
}

# The content of a message line. It is a JSON string already, and stays one.
content_of() {
  printf '%s\n' "$1" | sed -En 's/.*"content":"(([^"\\]|\\.)*)".*/\1/p'
}

commit_hash() {
  echo "$1" >> filepath-notes.txt 2> /dev/null || return 1
  git add filepath-notes.txt > /dev/null 2>&1 || return 1
  git -c user.name=agent -c user.email=agent@localhost -c commit.gpgsign=false \
    commit -q -m "docs: add notes" > /dev/null 2>&1 || return 1
  git rev-parse --short HEAD 2> /dev/null
}

LC_ALL=C
export LC_ALL
task=$(escaped "${FILEPATH_TASK-}")
IFS= read -r first || :

case "${FILEPATH_TASK-}" in
  child:*)
    say '{"type":"status","state":"running"}'
    say '{"type":"text","content":"child at work on: '"$task"'"}'
    say '{"type":"tool","name":"read_file","path":"README.md","status":"done","output":"read"}'
    say '{"type":"done","summary":"child finished"}'
    exit 0
    ;;
esac

if [ "${FILEPATH_FRESH-}" != 1 ]; then
  say '{"type":"status","state":"thinking","context_pct":0.12}'
  say '{"type":"text","id":"intro","partial":true,"content":"I will work on: "}'
  say '{"type":"text","id":"intro","partial":true,"content":"'"$task"'"}'
  say '{"type":"text","id":"intro","content":"I will work on: '"$task"'"}'
  say '{"type":"tool","id":"t1","name":"write_file","path":"filepath-notes.txt","status":"start","input":{"lines":1}}'
  hash=$(commit_hash "$FILEPATH_AGENT_ID") || hash=0000000
  say '{"type":"tool","id":"t1","name":"write_file","path":"filepath-notes.txt","status":"done","output":"wrote 1 line","diff":"+notes"}'
  say '{"type":"command","cmd":"uname -s","status":"start"}'
  say '{"type":"command","cmd":"uname -s","status":"done","exit":0,"stdout":"'"$(uname -s)"'\n"}'
  say '{"type":"commit","hash":"'"$hash"'","message":"docs: add notes"}'
  say '{"type":"spawn","name":"helper","agent":"custom","model":"'"${FILEPATH_MODEL-none}"'","task":"child: say hello"}'
  say '{"type":"workers","workers":[{"name":"helper","status":"running"}]}'
  say '{"type":"status","state":"running","context_pct":0.42}'
  say '{"type":"handoff","summary":"notes are written, a helper is at work"}'
  exit 0
fi

say '{"type":"done","summary":"all nine events were said"}'

while IFS= read -r line; do
  case "$line" in
    *'"type":"signal"'*'"action":"stop"'*) exit 0 ;;
    *'"type":"message"'*)
      say '{"type":"status","state":"thinking"}'
      say '{"type":"text","content":"echo: '"$(content_of "$line")"'"}'
      say '{"type":"status","state":"idle"}'
      ;;
  esac
done
