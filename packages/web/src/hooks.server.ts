import type { Handle } from '@sveltejs/kit/hooks';

/** The page is written once, at build time; its fonts are asked for together with its styles. */
export const handle: Handle = ({ event, resolve }) =>
  resolve(event, { preload: ({ type }) => type === 'js' || type === 'css' || type === 'font' });
