import { PasskeyCreate, PasskeySignIn } from '@filepath/protocol';
import { settings } from '../settings-api.ts';

type RegistrationOptions = Parameters<
  (typeof import('@simplewebauthn/browser'))['startRegistration']
>[0]['optionsJSON'];
type SignInOptions = Parameters<
  (typeof import('@simplewebauthn/browser'))['startAuthentication']
>[0]['optionsJSON'];

/** Why passkeys cannot be used under this address; null if they can. `open`: the address to use instead. */
export type PasskeyObstacle = { readonly words: string; readonly open: string | null };

export function passkeyObstacle({ hostname, port, protocol }: Location): PasskeyObstacle | null {
  if (/^127\.|^\[::1\]$/.test(hostname)) {
    const open = `http://localhost${port === '' ? '' : `:${port}`}/settings#passkeys`;
    return { words: 'Browsers bind passkeys to a name, not to a number. Open filepath as', open };
  }
  const numeric = /^[\d.]+$|^\[/.test(hostname);
  if (numeric || (protocol !== 'https:' && hostname !== 'localhost'))
    return { words: 'Passkeys need https and a host name.', open: null };
  if (typeof PublicKeyCredential === 'undefined')
    return { words: 'This browser has no passkeys.', open: null };
  return null;
}

/** Has the browser make a passkey, and registers it. */
export async function addPasskey(name: string): Promise<void> {
  const [{ startRegistration }, options] = await Promise.all([
    import('@simplewebauthn/browser'),
    settings.passkey.registration(),
  ]);
  // The server's answer goes to the browser as it is; the browser checks it.
  const optionsJSON = options as unknown as RegistrationOptions;
  const credential = await startRegistration({ optionsJSON }).catch(refused);
  await settings.passkey.add(PasskeyCreate.parse({ name, credential }));
}

export async function signInByPasskey(): Promise<void> {
  const [{ startAuthentication }, options] = await Promise.all([
    import('@simplewebauthn/browser'),
    settings.passkey.challenge(),
  ]);
  const optionsJSON = options as unknown as SignInOptions;
  const credential = await startAuthentication({ optionsJSON }).catch(refused);
  await settings.passkey.signIn(PasskeySignIn.parse({ credential }));
}

/** Browsers say the same of a person who said no, of one who was too slow, and where there is no such passkey. */
function refused(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  if (name === 'InvalidStateError')
    throw new Error('This device has a passkey for filepath already.');
  if (name === 'NotAllowedError' || name === 'AbortError')
    throw new Error(
      'The browser gave no passkey: it was refused, took too long, or there is none.',
    );
  throw error;
}
