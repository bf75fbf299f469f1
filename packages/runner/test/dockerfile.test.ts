import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basesOf, isImageName } from '../src/container/dockerfile.ts';

const bases = (text: string): string[] => basesOf(Buffer.from(text));
const after = (line: string): string => `FROM base/image:1\n${line}\n`;

describe('the check of a Dockerfile', () => {
  it('[CTR9] lets an ordinary one pass and says which images it begins with', () => {
    const text = `
# An ordinary file
ARG VERSION=1
FROM node:24 AS build
WORKDIR /src
COPY --chown=1000:1000 . .
RUN npm ci && \\
# said in between
    npm run build -- --mode=production
FROM build AS more
from localhost:5000/team/base:1
copy --from=build --chmod=755 /src/out /out
COPY --from=0 /src/x $HOME/
ADD --chown=1:1 files.tar.gz /files
ENV A=1 B="two: 3"
EXPOSE 80/tcp
VOLUME ["/data"]
HEALTHCHECK --interval=5s CMD true
LABEL a.b="c"
SHELL ["/bin/sh", "-c"]
STOPSIGNAL SIGTERM
MAINTAINER someone
USER 1000
ENTRYPOINT ["node"]
CMD ["--version"]
FROM scratch
`;
    expect(bases(text)).toEqual(['node:24', 'localhost:5000/team/base:1']);
    expect(bases(text.replaceAll('\n', '\r\n'))).toEqual(bases(text));
  });

  const tricks: [string, string, RegExp][] = [
    ['a mount', after('RUN --mount=type=bind,source=link,target=/mnt cat /mnt/x'), /line 2.*flag/],
    ['a mount of a cache', after('run\t--mount=type=cache,target=/c true'), /flag/],
    ['the network of the host', after('RUN --network=host true'), /flag/],
    ['more rights', after('RUN --security=insecure true'), /flag/],
    [
      'a mount on a further line',
      after('RUN \\\n  --mount=type=bind,from=tarball:/x true'),
      /flag/,
    ],
    ['a mount after a comment', after('RUN \\\n# x\n--mount=type=bind true'), /flag/],
    ['a word in two lines', after('RU\\\nN --mount=type=bind true'), /flag/],
    ['a flag in two lines', after('RUN -\\\n-mount=type=bind true'), /flag/],
    ['spaces after the end', after('RUN \\ \t\n--mount=type=bind true'), /flag/],
    ['a mount for later', after('ONBUILD RUN --mount=type=bind true'), /instruction ONBUILD/],
    ['another sign', '# escape=`\nFROM a/b\nRUN x\\\nRUN --mount=y z\n', /line 1.*directive/],
    ['another reader', '#syntax=evil/frontend\nFROM a/b\n', /directive/],
    ['a later directive', '\n# x\n # Escape = `\nFROM a/b\n', /directive/],
    ['any directive', '# what=ever\nFROM a/b\n', /directive/],
    ['a heredoc', after('RUN <<EOF\ntrue\nEOF'), /heredoc/],
    ['a heredoc in two lines', after('COPY <\\\n<EOF /x'), /heredoc/],
    ['two strokes', after('RUN echo x \\\\\nRUN --mount=type=bind true'), /ends in/],
    ['an empty line', after('RUN echo \\\n\n--mount'), /empty line/],
    ['an indented comment', after('RUN echo \\\n  # x\nRUN --mount=y'), /empty line/],
    ['no end', 'FROM a/b\nRUN true \\\n', /without an end/],
    ['a NUL', after('RUN a\0b'), /line 2.*odd character/],
    ['a return', after('RUN a\rRUN --mount=x y'), /odd character/],
    ['an odd space', after('\u00a0RUN --mount=x y'), /odd character/],
    ['an odd space after it', after('RUN\u2003--mount=x y'), /odd character/],
    ['a next line', after('RUN\u0085--mount=x y'), /odd character/],
    ['a mark at the beginning', '\ufeffFROM a/b\n', /odd character/],
    ['an address', after('ADD http://127.0.0.1:80/x /x'), /ADD of an address/],
    ['an address in JSON', after('ADD ["http\\u003a//127.0.0.1/x", "/x"]'), /ADD of an address/],
    ['an address in a variable', after('ENV U=http://127.0.0.1\nADD $U /x'), /line 3.*address/],
    ['a repository', after('ADD git@host:x /x'), /address/],
    ['another flag of ADD', after('ADD --keep-git-dir=true x /x'), /ADD with a flag/],
    ['an image to copy from', after('COPY --from=other/image /x /x'), /earlier stage/],
    ['a file to copy from', after('COPY --from=docker-archive:/x /x /x'), /earlier stage/],
    ['a variable to copy from', after('ARG A=x\nCOPY --from=$A /x /x'), /earlier stage/],
    ['the stage itself', 'FROM a/b AS me\nCOPY --from=me /x /x\n', /earlier stage/],
    ['the number of itself', after('COPY --from=0 /x /x'), /earlier stage/],
    ['a flag in disguise', after('COPY --fr\\om=dir:/x /x /x'), /COPY with a flag/],
    ['a flag in quotes', after('COPY --from="dir:/x" /x /x'), /earlier stage/],
    [
      'a second from',
      'FROM a/b AS s\nFROM s\nCOPY --from=s --from=dir:/x /x /y\n',
      /earlier stage/,
    ],
    ['an image in a variable', 'ARG A=di\nFROM ${A}r:/x\n', /line 2.*name the image itself/],
    ['an image in a directory', 'FROM dir:/x\n', /without the name/],
    ['an image in a near directory', 'FROM dir:x\n', /without the name/],
    ['an image in an archive', 'FROM oci-archive:1/x\n', /without the name/],
    ['an image by its number', 'FROM sha256:abcdef\n', /without the name/],
    ['an image by half its number', 'FROM abcdef\n', /without the name/],
    ['an image in quotes', 'FROM "dir:/x"\n', /without the name/],
    ['a platform', 'FROM --platform=linux/arm64 a/b\n', /FROM with a flag/],
    ['too many words', 'FROM a/b AS c d\n', /other words/],
    ['a stage called nothing', 'FROM a/b AS scratch\n', /name of a stage/],
    ['a stage called a number', 'FROM a/b AS 1\n', /name of a stage/],
    ['a stage twice', 'FROM a/b AS x\nFROM a/b AS X\n', /name of a stage/],
    ['no image', 'FROM\n', /without the name/],
    ['nothing', '', /no FROM/],
    ['something before', 'RUN true\nFROM a/b\n', /before FROM/],
    ['something unknown', after('INCLUDE /etc/passwd'), /instruction INCLUDE.*allowed: ADD ARG/],
    ['another directive', after('//syntax=x'), /instruction/],
  ];
  it.each(tricks)('[CTR9] T10: refuses %s', (_name, text, words) => {
    expect(() => bases(text)).toThrow(words);
  });

  it('[CTR9] T10: refuses what is no text or too much', () => {
    expect(() => basesOf(Buffer.from([0x46, 0xff]))).toThrow(/UTF-8/);
    expect(() => bases(`FROM a/b\n${'#\n'.repeat(150_000)}`)).toThrow(/larger than 256 KiB/);
  });

  it('[CTR9] T10: no way to write it brings a flag to RUN', () => {
    const piece = fc.constantFrom(
      ' ',
      '\t',
      '\\\n',
      '\\ \n',
      '\n',
      '#x\n',
      'RUN',
      '-',
      '--mount=x',
      'a',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = after(pieces.join(''));
        let passed = true;
        try {
          bases(text);
        } catch {
          passed = false;
        }
        const joined = text
          .replace(/^#.*\n/gm, '')
          .replace(/\\[ \t]*\n/g, '')
          .split('\n');
        const flagged = joined.some((line) => /^\s*RUN\s+--/.test(line));
        expect(passed && flagged).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  it('[CTR7] knows the name of an image from a place', () => {
    for (const name of ['node', 'node:24', 'docker:24', 'ghcr.io/a/b@sha256:' + 'a'.repeat(64)]) {
      expect(isImageName(name), name).toBe(true);
    }
    for (const name of ['docker://x', 'dir:x', 'oci:1/x', 'A', 'a b', '../x', 'beef', '']) {
      expect(isImageName(name), name).toBe(false);
    }
  });
});
