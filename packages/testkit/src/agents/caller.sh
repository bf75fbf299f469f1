# Calls its model through the gateway and says what came of it. Arguments: how many calls (10), how many children like
# itself it asks for first (0), the most tokens of an answer (1024).

calls=${1:-10}
children=${2:-0}
limit=${3:-1024}

n=1
while [ "$n" -le "$children" ]; do
  printf '{"type":"spawn","name":"child-%d","agent":"custom","model":"%s","task":"call"}\n' "$n" "$FILEPATH_MODEL"
  n=$((n + 1))
done

answered=0
refused=0
explained=0
failed=0
body="{\"model\":\"$FILEPATH_MODEL\",\"max_tokens\":$limit,\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"go on\"}]}"
n=1
while [ "$n" -le "$calls" ]; do
  status=$(curl -sS -m 240 -o "$HOME/answer" -w '%{http_code}' "$FILEPATH_BASE_URL/anthropic/v1/messages" \
    -H "x-api-key: $FILEPATH_API_KEY" -H 'anthropic-version: 2023-06-01' -H 'content-type: application/json' \
    -d "$body" 2>"$HOME/problem")
  ended=$?
  if [ "$status" = 200 ] && [ "$ended" = 0 ]; then
    answered=$((answered + 1))
  elif grep -q 'Not enough is left of' "$HOME/answer" 2>/dev/null; then
    refused=$((refused + 1))
    if grep -q 'a person raises it' "$HOME/answer"; then explained=$((explained + 1)); fi
  else
    failed=$((failed + 1))
  fi
  : >"$HOME/answer"
  n=$((n + 1))
done
printf '{"type":"done","summary":"answered %d refused %d explained %d failed %d"}\n' \
  "$answered" "$refused" "$explained" "$failed"
