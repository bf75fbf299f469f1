export type ErrorWords = {
  title: string;
  advice: string;
  /** What the failure said of itself, where that helps. */
  detail: string | null;
  reload: boolean;
  signIn: boolean;
};

/** What a page that cannot be shown says, and what to do about it. */
export function errorWords(status: number, message: string, online: boolean): ErrorWords {
  const quiet = { detail: null, reload: false, signIn: false };
  if (status === 404) {
    return {
      ...quiet,
      title: 'There is no such page.',
      advice: 'The address may be mistyped, or what it named was deleted.',
    };
  }
  if (status === 401 || status === 403) {
    return {
      ...quiet,
      title: 'You are signed out.',
      advice: 'Sign in again with the URL that filepath printed when it was started.',
      signIn: true,
    };
  }
  if (!online || /import|fetch|load/i.test(message)) {
    return {
      title: 'The page could not be loaded.',
      advice: online
        ? 'filepath may have been updated or stopped. Load the page again.'
        : 'There is no network. Load the page again when there is.',
      detail: null,
      reload: true,
      signIn: false,
    };
  }
  return {
    title: 'This page failed.',
    advice: 'Load it again. If it fails again, the words below belong into a report of the bug.',
    detail: message === '' ? null : message,
    reload: true,
    signIn: false,
  };
}
