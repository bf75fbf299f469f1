import { LIMITS } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { ended } from '../repositories.ts';
import { executors, hostileOrder } from './executors.ts';
import { open } from './host.ts';

const SECRET = 'sk-canary-7f3a/91+"c"-omega';
const PEM = `-----BEGIN TEST KEY-----\n${'Qk1vZ2xrbmFkc2Zsa2FzZA0'.repeat(2)}\n${'ZmxramFzZGZsa2phc2RmMQ0'.repeat(2)}\n-----END TEST KEY-----`;

/** Prints the secret in every form that is redacted, as one event or bare line each. */
const PRINT = `
$| = 1; my $s = $ENV{SECRET}; my $bytes = length($s);
sub text { my $c = shift; print '{"type":"text","content":"', $c, '"}', "\\n"; }
sub plain { my $c = shift; $c =~ s/(["\\\\])/\\\\$1/g; return $c; }
text(plain($s));
text(join('', map { sprintf('\\\\u%04x', ord) } split(//, $s)));
text(join('', map { sprintf('\\\\u%04X', ord) } split(//, $s)));
text(sprintf('\\\\u%04x', ord($s)) . plain(substr($s, 1)));
text((plain($s)) =~ s{/}{\\\\/}gr);
text(join('', map { sprintf('%%%02x', ord) } split(//, $s)));
text($s =~ s/([^A-Za-z0-9.~-])/sprintf('%%%02X', ord($1))/ger);
# Without a module, which an image may lack.
sub base64 {
  my ($b, $pad) = (pack('u', $_[0]), (3 - length($_[0]) % 3) % 3);
  $b =~ s/^.//mg; $b =~ s/\\n//g; $b =~ tr{\` -_}{AA-Za-z0-9+/};
  $b =~ s/.{$pad}$/'=' x $pad/e if $pad;
  return $b;
}
text(unpack('H*', $s)); text(uc(unpack('H*', $s)));
text(join(':', unpack('(H2)*', $s))); text(join(' ', unpack('(H2)*', $s)));
for my $shift (0, 1, 2) {
  text(base64(('x' x $shift) . $s . 'tail'));
  text(base64(('x' x $shift) . $s) =~ tr{+/}{-_}r);
}
print "bare $s\\n", "$s\\r\\n", "\\xff\\xfe $s\\n";
# One write for each byte: no chunk holds it whole.
syswrite(STDOUT, $_) for split(//, '{"type":"text","content":"' . plain($s) . '"}' . "\\n");
# Across the bounds of what is read at once.
for my $size (4096, 65536, 131072) {
  print 'x' x ($size - 20), plain($s), 'y' x 50, "\\n" for 1 .. 3;
}
# At the cut of a line that is too long or no UTF-8.
for my $before (${LIMITS.rejectedHead} - 12, ${LIMITS.rejectedHead} - 2) {
  print 'z' x $before, $s, 'z' x ${LIMITS.line}, "\\n";
  print 'z' x $before, $s, "\\xff\\n";
}
print "$ENV{PEM}\\n";
print STDERR 'e' x 4000, $s, 'e' x (8192 - 12);
`;

/** What a reader makes of a line: as it is, and as JSON. */
function readings(line: string): string[] {
  try {
    return [line, String(JSON.parse(line).content)];
  } catch {
    return [line];
  }
}

describe.each(executors)('T19: a secret of an agent, with $name', (executor) => {
  it('[SEC20] leaves the runner in none of its forms, wherever the bytes are cut', async () => {
    const bench = await open(executor);
    const script = `cat > /tmp/print <<'EOF'\n${PRINT}\nEOF\nexec perl /tmp/print`;
    const order = hostileOrder(executor, script, {}, { SECRET, PEM });
    const thread = await ended(bench, order);
    expect(thread.exit?.code).toBe(0);
    expect(thread.lines.length).toBeGreaterThan(35);
    const core = SECRET.slice(3, 15);
    const forms = [
      core,
      encodeURIComponent(core),
      Buffer.from(core).toString('hex'),
      Buffer.from(core).toString('hex').toUpperCase(),
      [...Buffer.from(core)].map((byte) => byte.toString(16)).join(':'),
      ...PEM.split('\n'),
      ...['', 'x', 'xx'].map((shift) =>
        Buffer.from(`${shift}${SECRET}`).toString('base64').slice(8, 24),
      ),
    ];
    for (const [, line] of thread.lines) {
      for (const reading of readings(line)) {
        for (const form of forms) expect(reading).not.toContain(form);
      }
    }
    const events = thread.texts.filter((line) => line.startsWith('{'));
    for (const line of events) expect(JSON.parse(line).content).toContain('[redacted]');
    expect(thread.exit?.stderr).toHaveLength(8192);
    // Parts of it do not show at a cut either.
    const shown = JSON.stringify([thread.lines, thread.exit]);
    expect(shown.match(/z(sk-|sk-canary)/)).toBeNull();
    expect(shown).not.toContain(SECRET.slice(-6));
  });

  it('[SEC20] is in no commit that is told', async () => {
    const bench = await open(executor);
    const order = hostileOrder(
      executor,
      `git init -q -b "x-$SECRET" . 2> /dev/null || git init -q .
      git -c user.name=a -c user.email=a@a commit -q --allow-empty -m "it is $SECRET"`,
      {},
      { SECRET: 'canary-of-a-commit-0123' },
    );
    const thread = await ended(bench, order);
    const heads = thread.observed.filter(({ type }) => type === 'head');
    expect(heads).toMatchObject([{ message: 'it is [redacted]' }]);
    expect(JSON.stringify(thread.observed)).not.toContain('canary-of-a-commit');
  });
});
