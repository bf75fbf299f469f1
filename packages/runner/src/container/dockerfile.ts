import { Refusal } from '../executor/executor.ts';

export const DOCKERFILE_BYTES = 256 * 1024;

const NAME =
  /^[a-z0-9][a-z0-9._-]*(?::\d+)?(?:\/[a-z0-9][a-z0-9._-]*)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
/** Words before a colon that podman takes for a place instead of a name. */
const TRANSPORT =
  /^(?:dir|oci|oci-archive|docker-archive|docker-daemon|containers-storage|ostree|sif|tarball|atomic|sha256):/;
/** An engine looks such a name up among the numbers of its images too, and finds those of others. */
const NUMBER = /^[0-9a-f]+$/;

/** Whether it is the name of an image, and nothing that an engine could take for anything else. */
export const isImageName = (name: string): boolean =>
  NAME.test(name) && !TRANSPORT.test(name) && !NUMBER.test(name);

const STAGE = /^[a-zA-Z][\w.-]{0,127}$/;
const PLAIN = new Set(
  'CMD LABEL EXPOSE ENV ENTRYPOINT VOLUME USER WORKDIR ARG STOPSIGNAL SHELL HEALTHCHECK MAINTAINER'.split(
    ' ',
  ),
);
const ALL = [...PLAIN, 'FROM', 'RUN', 'COPY', 'ADD'].sort().join(' ');
/** Parsers do not agree on whether these separate words: Go's do, a shell does not. */
const ODD_SPACE = /[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;
const DIRECTIVE = /^#\s*(?:escape|syntax|check|platform)\s*=/i;
const ANY_DIRECTIVE = /^#\s*[a-z][\w.-]*\s*=/i;

type Line = { at: number; text: string };

/**
 * The images of others that a Dockerfile begins with. Whatever could name a file, a mount or a network of the host, or
 * what two parsers could read differently, throws a Refusal: the file is checked here before an engine sees it.
 */
export function basesOf(bytes: Buffer): string[] {
  const stages = new Stages();
  for (const line of instructionsOf(textOf(bytes))) check(line, stages);
  if (stages.count === 0) throw refused(1, 'there is no FROM', 'begin with FROM and an image');
  return [...stages.bases];
}

function textOf(bytes: Buffer): string {
  if (bytes.length > DOCKERFILE_BYTES) {
    throw new Refusal(`the Dockerfile is larger than ${DOCKERFILE_BYTES / 1024} KiB`);
  }
  const text = decoded(bytes).replace(/\r\n/g, '\n');
  for (const [index, line] of text.split('\n').entries()) {
    if (CONTROL.test(line) || ODD_SPACE.test(line)) {
      throw refused(index + 1, 'an odd character', 'only text, spaces and tabs may stand there');
    }
  }
  return text;
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal('the Dockerfile is no text in UTF-8');
  }
}

/** Joins what `\` continues. Where parsers differ over a line, it is refused. */
function instructionsOf(text: string): Line[] {
  const found: Line[] = [];
  let open: Line | null = null;
  for (const [index, line] of text.replace(/\n$/, '').split('\n').entries()) {
    const at = index + 1;
    const trimmed = line.trim();
    if (trimmed.startsWith('#') && (open === null || line.startsWith('#'))) {
      const directive = found.length === 0 && open === null ? ANY_DIRECTIVE : DIRECTIVE;
      if (directive.test(trimmed)) throw refused(at, 'a directive', 'leave it out');
      continue;
    }
    if (open !== null && (trimmed === '' || trimmed.startsWith('#'))) {
      throw refused(at, 'an empty line or an indented comment within an instruction', 'remove it');
    }
    if (trimmed === '') continue;
    if (line.includes('<<')) throw refused(at, 'a heredoc', 'write its lines with \\ at their end');
    if (/\\\\[ \t]*$/.test(line)) throw refused(at, 'a line that ends in \\\\', 'end it otherwise');
    const goesOn = /\\[ \t]*$/.test(line);
    const part = goesOn ? line.replace(/\\[ \t]*$/, '') : line;
    open = open === null ? { at, text: part.trimStart() } : { at: open.at, text: open.text + part };
    if (goesOn) continue;
    found.push(open);
    open = null;
  }
  if (open !== null) throw refused(open.at, 'an instruction without an end', 'end it');
  return found;
}

class Stages {
  readonly bases = new Set<string>();
  readonly #names = new Set<string>();
  #current: string | null = null;
  count = 0;

  /** `from` of COPY: a stage that is there, and not the one it stands in. */
  earlier(from: string): boolean {
    if (/^\d{1,3}$/.test(from)) return Number(from) < this.count - 1;
    return from !== this.#current && this.#names.has(from);
  }

  add(image: string, name: string | null): void {
    if (image !== 'scratch' && !this.#names.has(image)) this.bases.add(image);
    this.#current = name;
    if (name !== null) this.#names.add(name);
    this.count += 1;
  }

  known(image: string): boolean {
    return image === 'scratch' || this.#names.has(image);
  }

  has(name: string): boolean {
    return [...this.#names].some((one) => one.toLowerCase() === name.toLowerCase());
  }
}

function check({ at, text }: Line, stages: Stages): void {
  const [, word = '', rest = ''] = /^(\S+)(?:[ \t]+(.*))?$/.exec(text.trim()) ?? [];
  if (text.includes('<<')) throw refused(at, 'a heredoc', 'write its lines with \\ at their end');
  const instruction = word.toUpperCase();
  if (instruction === 'FROM') return from(at, rest, stages);
  if (stages.count === 0 && instruction !== 'ARG') {
    throw refused(at, `${word.slice(0, 40)} before FROM`, 'begin with FROM and an image');
  }
  if (instruction === 'RUN') {
    if (rest.startsWith('--')) throw refused(at, 'RUN with a flag', 'RUN takes a command only');
    return;
  }
  if (instruction === 'COPY') return copy(at, rest, stages);
  if (instruction === 'ADD') return add(at, rest);
  if (!PLAIN.has(instruction)) {
    throw refused(at, `the instruction ${word.slice(0, 40)}`, `these are allowed: ${ALL}`);
  }
}

function from(at: number, rest: string, stages: Stages): void {
  const words = rest.split(/[ \t]+/);
  const [image = '', as, name = null] = words;
  if (image.startsWith('--')) throw refused(at, 'FROM with a flag', 'FROM takes an image only');
  if (image.includes('$')) {
    throw refused(at, 'FROM with a variable', 'name the image itself');
  }
  if ((words.length !== 1 && words.length !== 3) || (as ?? 'AS').toUpperCase() !== 'AS') {
    throw refused(at, 'FROM with other words', 'write FROM image, or FROM image AS name');
  }
  if (!stages.known(image) && !isImageName(image)) {
    throw refused(at, 'FROM without the name of an image', 'name an image or an earlier stage');
  }
  if (name !== null && (!STAGE.test(name) || name === 'scratch' || stages.has(name))) {
    throw refused(at, 'the name of a stage', 'use letters and digits, and each name once');
  }
  stages.add(image, name);
}

function copy(at: number, rest: string, stages: Stages): void {
  for (const flag of flagsOf(rest)) {
    const source = /^--from=(.*)$/.exec(flag)?.[1];
    if (source !== undefined && stages.earlier(source)) continue;
    if (source !== undefined) {
      throw refused(at, 'COPY from something else', '--from takes the name of an earlier stage');
    }
    if (!OWNER.test(flag)) {
      throw refused(at, 'COPY with a flag', '--chown=, --chmod= and --from=stage are allowed');
    }
  }
}

function add(at: number, rest: string): void {
  const flags = flagsOf(rest);
  if (!flags.every((flag) => OWNER.test(flag))) {
    throw refused(at, 'ADD with a flag', '--chown= and --chmod= are allowed');
  }
  const words = rest.split(/[ \t]+/).slice(flags.length);
  if (words.some((word) => /[$:\\]|git@/.test(word))) {
    throw refused(at, 'ADD of an address', 'ADD takes names of files without $, : and \\');
  }
}

const OWNER = /^--(?:chown|chmod)=[\w.:+=,-]+$/;

/** An engine looks for them at the beginning only, up to the first word without two dashes. */
function flagsOf(rest: string): string[] {
  const words = rest.split(/[ \t]+/);
  const end = words.findIndex((word) => !word.startsWith('--'));
  return end === -1 ? words : words.slice(0, end);
}

const refused = (line: number, what: string, instead: string): Refusal =>
  new Refusal(`line ${line} of the Dockerfile has ${what}: ${instead}`);
