/** Where providers keep accounts, and hand out keys that would work without us. */
const ACCOUNTS =
  /^\/v1\/(?:organizations?|projects?|workspaces?|realtime|chatkit|keys?|auth|oauth|credits|activity|guardrails|webhooks)(?:\/|$)/i;

/** What is kept and worked off at a provider beside any call. */
const KEPT =
  /^\/v1\/(?:(?:messages\/)?batches|fine[_-]tun(?:ing|es)|vector_stores|assistants|threads|evals)(?:\/|$)/i;

/** What an agent may look up: models, and what its own calls have left under ids that nobody guesses. */
const LOOKED_UP = /^\/v1\/(?:models(?:\/.+)?|responses\/[^/]+(?:\/input_items)?)$/;

/** Ways up, doubled slashes, and what another decoding would make something else of. */
const WINDING = /%|\\|\/\/|\/\.{1,2}(?:\/|$)/;

/**
 * Whether a request is for what is the owner's own at a provider. An agent makes calls, by POST, and looks up what
 * belongs to them. It lists, changes and deletes nothing that is kept there. What is spelled so that nobody can tell is
 * the owner's.
 */
export function isOwners(method: string, path: string): boolean {
  const plain = decoded(path);
  if (plain === null || WINDING.test(plain)) return true;
  if (ACCOUNTS.test(plain) || KEPT.test(plain)) return true;
  return method !== 'POST' && !(method === 'GET' && LOOKED_UP.test(plain));
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
