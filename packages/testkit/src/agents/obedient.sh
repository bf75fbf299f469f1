# Does what its messages say, as shell, until its stdin ends. A task to resolve a conflict it resolves by keeping both
# lines.
git config user.name a; git config user.email a@a
while read -r line; do
  case $line in
  *'git merge '*)
    hash=$(printf %s "$line" | sed 's/.*git merge \([0-9a-f]\{40\}\).*/\1/')
    git merge -q "$hash" || { sed -i '/^[<=>]\{7\}/d' text; git commit -qam resolved; }
    ;;
  *'"do '*) sh -c "$(printf %s "$line" | sed 's/.*"do \(.*\)"}$/\1/')" ;;
  esac
  printf '{"type":"done","summary":"did it"}\n'
done
