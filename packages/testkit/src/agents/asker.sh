# Makes a call to its model for each message, while others run. The message is the most tokens of the answer; what it
# says after each call is the status of the answer and its first bytes. It ends when it is told to stop.

ask() {
  answer=$(mktemp)
  body="{\"model\":\"$FILEPATH_MODEL\",\"max_tokens\":$1,\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"go on\"}]}"
  status=$(curl -sS -o "$answer" -w '%{http_code}' "$FILEPATH_BASE_URL/anthropic/v1/messages" \
    -H "x-api-key: $FILEPATH_API_KEY" -H 'anthropic-version: 2023-06-01' -H 'content-type: application/json' \
    -d "$body" 2>/dev/null)
  printf '{"type":"text","content":"%s after %d: %s"}\n' "$status" "$?" \
    "$(head -c 400 "$answer" | tr -d '"\\' | tr '\n' ' ')"
}

while IFS= read -r line; do
  case $line in
    *'"stop"'*) exit 0 ;;
  esac
  limit=$(printf '%s' "$line" | sed -n 's/.*"content":"\([0-9][0-9]*\)".*/\1/p')
  if [ -n "$limit" ]; then ask "$limit" & fi
done
