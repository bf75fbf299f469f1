/** What the sign-in link says when it turns someone away. */
export function signInProblem(error: string): string {
  switch (error) {
    case 'invalid':
    case 'invalid_token':
    case 'unauthenticated':
      return 'That token is not valid. It was used before, has expired, or belongs to another instance.';
    case 'expired':
    case 'used':
      return 'That sign-in URL was used before or has expired. Restart filepath for a new one.';
    default:
      return 'You could not be signed in. Use the newest URL from the terminal.';
  }
}
