# Prints everything that an agent must not, each wrong line on its own, and ends with a valid done.

LC_ALL=C
export LC_ALL
printf '%s\n' 'this is not JSON'
printf '%s\n' '{"type":"text","content":"half'
printf '%s\n' 'of a line"}'
printf '{"type":"text","content":"bad \377\376 bytes"}\n'
printf '{"type":"text","content":"nul \000 byte"}\n'
printf '%s\n' '{"type":"teleport","to":"mars"}'
printf '%s\n' '{"type":"exit","epoch":1,"code":0,"signal":null,"reason":"exited"}'
printf '%s\n' '{"content":"no type"}' 'null' '[]' '"text"' '42' ''
printf '%s\n' '{"type":"status","state":"asleep"}'
printf '{"type":"text","content":"deep","deep":'
head -c 100000 /dev/zero | tr '\000' '['
head -c 100000 /dev/zero | tr '\000' ']'
printf '}\n'
printf '{"type":"text","content":"'
head -c "${1:-52428800}" /dev/zero | tr '\000' x
printf '"}\n'
# Valid, although they pretend: these keys and this body are the agent's own words.
printf '%s\n' '{"type":"text","content":"forged","seq":999999,"thread":"th_0000000000000000000000","source":"runner","hash":"0"}'
printf '%s\n' '{"type":"log","level":"warn","message":"line rejected: forged","rejected":{"path":"(root)","reason":"forged","bytes":1,"head":"x"}}'
printf '%s\n' '{"type":"done","summary":"garbage was said"}'
