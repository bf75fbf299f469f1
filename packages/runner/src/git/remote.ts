import { Refusal } from '../executor/executor.ts';

/** What a URL carries beside the place: kept out of every file, argument and answer. */
export type Credentials = { user: string; password: string };

/** Where commits come from. `shown` names it without credentials, and is what git is told. */
export type Remote =
  | { kind: 'path'; shown: string }
  | { kind: 'ssh'; shown: string }
  | { kind: 'url'; shown: string; scheme: string; origin: string; credentials: Credentials | null };

const SCHEMES = ['https:', 'http:', 'git:'];
/** `user@host:path`, as git writes ssh without a scheme. Nothing in it can be taken for an option. */
const SCP = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^\s:-]\S*$/;
const SSH_USER = /^(?:[A-Za-z0-9_][\w.-]*)?$/;
const SSH_HOST = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Throws a Refusal whose text repeats nothing of what was given. */
export function parseRemote(text: string): Remote {
  if (CONTROL.test(text)) throw new Refusal('the repository is no path or URL');
  if (text.startsWith('/')) return { kind: 'path', shown: text };
  if (SCP.test(text)) return { kind: 'ssh', shown: text };
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Refusal('the repository is neither an absolute path nor a URL');
  }
  if (url.protocol === 'ssh:') return parseSsh(url);
  if (!SCHEMES.includes(url.protocol)) {
    throw new Refusal(`a repository cannot be cloned over ${url.protocol} use https or ssh`);
  }
  const credentials = credentialsOf(url);
  url.username = '';
  url.password = '';
  const scheme = url.protocol.slice(0, -1);
  return {
    kind: 'url',
    shown: url.href,
    scheme,
    origin: `${scheme}://${url.host}`,
    credentials,
  };
}

function parseSsh(url: URL): Remote {
  if (url.password !== '') {
    throw new Refusal('ssh takes no password from a URL: use a key that the SSH agent holds');
  }
  if (!SSH_USER.test(url.username) || !SSH_HOST.test(url.hostname)) {
    throw new Refusal('the ssh URL names no user and host that ssh would take');
  }
  return { kind: 'ssh', shown: url.href };
}

function credentialsOf(url: URL): Credentials | null {
  if (url.username === '' && url.password === '') return null;
  try {
    const user = decodeURIComponent(url.username);
    const password = decodeURIComponent(url.password);
    // A slash that stands for itself in a password ends it: the rest would be shown as part of the path.
    if (!CONTROL.test(user + password) && !url.pathname.includes('@')) return { user, password };
  } catch {
    // As below.
  }
  throw new Refusal('the user or password in the URL is not percent-encoded text');
}

/** The remote for people's eyes. */
export function shownRemote(text: string): string {
  try {
    return parseRemote(text).shown;
  } catch {
    return 'the repository';
  }
}
