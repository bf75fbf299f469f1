import { online } from 'svelte/reactivity/window';
import { attention } from './attention.svelte.ts';

/** Whether the top bar tells that the page is cut off, and from what: it is said in one place. */
class Reach {
  state = $derived<'away' | 'unreached' | 'live'>(
    online.current === false ? 'away' : attention.view?.state === 'offline' ? 'unreached' : 'live',
  );
}

export const reach = new Reach();
