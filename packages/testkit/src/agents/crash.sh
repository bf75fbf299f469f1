# Says something, complains on stderr and exits with the code given (3).
printf '%s\n' '{"type":"text","content":"about to fail"}'
echo 'something went wrong' >&2
exit "${1:-3}"
