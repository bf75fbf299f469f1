import { goto } from '$app/navigation';
import { createCore } from '@filepath/client';
import { FilepathError } from '@filepath/protocol';

export const client = createCore();

/** What to show for a failure; null when the viewer is signed out and is on the way to the sign-in page. */
export async function problemOf(error: unknown): Promise<string | null> {
  if (error instanceof FilepathError && error.code === 'unauthenticated') {
    await goto('/sign-in');
    return null;
  }
  return error instanceof Error ? error.message : String(error);
}
