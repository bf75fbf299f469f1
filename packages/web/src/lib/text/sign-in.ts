/** What the sign-in link says when it turns someone away. */
export function signInProblem(error: string): string {
  if (error === 'expired') {
    return 'That sign-in URL or token is not valid any more. Restart filepath for a new one.';
  }
  return 'You could not be signed in. Use the newest URL from the terminal.';
}
