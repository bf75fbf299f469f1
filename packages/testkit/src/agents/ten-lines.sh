# An agent in ten lines: it knows text and nothing else.
n=1
while [ "$n" -le 10 ]; do
  printf '{"type":"text","content":"line %d"}\n' "$n"
  n=$((n + 1))
done
