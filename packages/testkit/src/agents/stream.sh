# Prints numbered texts, then done. Arguments: how many (5000), seconds to wait after each batch (0), texts in a
# batch (50). STREAM_COUNT, STREAM_DELAY and STREAM_BATCH are the same.

count=${1:-${STREAM_COUNT:-5000}}
delay=${2:-${STREAM_DELAY:-0}}
batch=${3:-${STREAM_BATCH:-50}}
n=1
while [ "$n" -le "$count" ]; do
  printf '{"type":"text","content":"%d"}\n' "$n"
  if [ "$delay" != 0 ] && [ $((n % batch)) -eq 0 ]; then sleep "$delay"; fi
  n=$((n + 1))
done
printf '{"type":"done","summary":"%d texts"}\n' "$count"
