/** Where providers keep accounts, and hand out keys that would work without us. */
const ACCOUNTS =
  /^\/v1\/+(?:organizations?|projects?|workspaces?|realtime|chatkit|keys?|auth|oauth|credits|activity|guardrails|webhooks)(?:\/|$)/i;

/** Whether a path leads to what is the owner's own at a provider. What is spelled so that nobody can tell does. */
export function isAccount(path: string): boolean {
  try {
    return ACCOUNTS.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}
