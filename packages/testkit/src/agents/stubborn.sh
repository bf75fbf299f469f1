# Ignores the stop signal on stdin and every signal that can be ignored.
trap '' TERM INT HUP QUIT PIPE
printf '%s\n' '{"type":"status","state":"running"}' '{"type":"text","content":"I will not stop"}'
while :; do sleep 60; done
