import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig, type Plugin } from 'vite';
import manifest from './package.json' with { type: 'json' };

/**
 * Zod compiles schemas with `new Function` where it may. The page's policy forbids that, and a browser reports
 * even the attempt, so the build switches it off before the first schema exists.
 */
function zodWithoutEval(): Plugin {
  const before = 'globalConfig = {}';
  return {
    name: 'zod-without-eval',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/zod\/v4\/core\/core\.js(\?|$)/.test(id)) return null;
      if (!code.includes(before)) this.error('zod keeps its configuration elsewhere now');
      return { code: code.replace(before, 'globalConfig = { jitless: true }'), map: null };
    },
  };
}

export default defineConfig({
  plugins: [
    zodWithoutEval(),
    sveltekit({
      adapter: adapter({ fallback: 'index.html' }),
      version: { name: manifest.version },
      csp: {
        mode: 'hash',
        directives: {
          'default-src': ['none'],
          'script-src': ['self'],
          'style-src': ['self'],
          // The one style attribute on the page: it hides SvelteKit's route announcer.
          'style-src-attr': [
            'unsafe-hashes',
            'sha256-S8qMpvofolR8Mpjy4kQvEm7m1q8clzU4dfDH0AmvZjo=',
          ],
          'connect-src': ['self'],
          'img-src': ['self', 'data:'],
          'font-src': ['self'],
          'base-uri': ['none'],
          'form-action': ['self'],
          'require-trusted-types-for': ['script'],
          'trusted-types': ['svelte-trusted-html', 'sveltekit-trusted-url'],
        },
      },
    }),
  ],
});
