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

/** Nothing on the page writes JSON Schema, and every schema of zod would bring what does. */
function zodWithoutJsonSchema(): Plugin {
  return {
    name: 'zod-without-json-schema',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/zod\/v4\/core\/(json-schema-processors|to-json-schema)\.js(\?|$)/.test(id))
        return null;
      const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(
        ([, name]) => name,
      );
      if (names.length === 0) this.error('zod exports its JSON Schema in another way now');
      const none = "const none = () => { throw new Error('The page has no JSON Schema'); };";
      return {
        code: `${none} export { ${names.map((name) => `none as ${name}`).join(', ')} };`,
        map: null,
      };
    },
  };
}

/**
 * While a pane is drawn, paneforge writes a style element to show a cursor. The page's policy forbids that, so the
 * build has it set the cursor of the root, which shows everywhere: panes take no pointer events meanwhile.
 */
function paneforgeWithoutStyleElement(): Plugin {
  const replaced: readonly [string, string][] = [
    ['document.head.removeChild(element)', "element.style.cursor = ''"],
    ['element = doc.createElement("style")', 'element = doc.documentElement'],
    ['doc.head.appendChild(element)', ''],
    ['element.innerHTML = `*{cursor: ${style}!important;}`', 'element.style.cursor = style'],
  ];
  return {
    name: 'paneforge-without-style-element',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/paneforge\/dist\/internal\/utils\/style\.js(\?|$)/.test(id)) return null;
      let changed = code;
      for (const [before, after] of replaced) {
        if (!changed.includes(before)) this.error(`paneforge has no "${before}" any more`);
        changed = changed.replace(before, after);
      }
      return { code: changed, map: null };
    },
  };
}

type IconData = { name: string; size: number; node: [string, Record<string, string>][] };

/**
 * An icon of lucide is put together of its parts and of all that may be set of them each time it is shown, and rows of
 * a thread have several. The build writes each as the one element it is. Its size is the style sheet's.
 */
function lucideAsElements(): Plugin {
  const script =
    "<script>const { class: given = '', 'aria-label': label } = $props();" +
    " const hidden = $derived(label === undefined ? 'true' : undefined);</script>";
  return {
    name: 'lucide-as-elements',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/@lucide\/svelte\/dist\/icons\/[\w-]+\.svelte$/.test(id)) return null;
      const [, data] = /^const iconData = (.*);$/m.exec(code) ?? [];
      if (data === undefined) return this.error(`lucide writes ${id} in another way now`);
      const { name, size, node } = JSON.parse(data) as IconData;
      const parts = node.map(([tag, attributes]) => {
        const set = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
        return `<${tag}${set.join('')} />`;
      });
      const svg =
        `<svg viewBox="0 0 ${size} ${size}" fill="none" stroke="currentColor" stroke-linecap="round"` +
        ` stroke-linejoin="round" class="lucide lucide-${name} lucide-icon {given}"` +
        ' aria-label={label} aria-hidden={hidden}>';
      return { code: `${script}\n${svg}${parts.join('')}</svg>`, map: null };
    },
  };
}

export default defineConfig({
  // A worker loads grammars as it needs them.
  worker: { format: 'es' },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: {
              // What most of the page needs comes at once: as a file for each of its parts it would be larger and later.
              // What SvelteKit's start needs stays apart: its client reads what start has set when it is loaded.
              groups: [
                { name: 'start', test: /preload-helper|client.payload|esm-env/, priority: 1 },
                { name: 'page', test: /packages.web.src|@lucide/, minShareCount: 4 },
                // What every conversation needs, of an agent or of LiteClaw.
                {
                  name: 'talk',
                  test: /lib.components.(chat.(markdown.)?[A-Z]|session.(Connection|ThreadNote|InputNotice|SendButtons))|lib.state.(drafts|per-frame|grown|touch|scroll-keeper)|lib.text.markdown/,
                  minShareCount: 2,
                },
              ],
            },
          },
        },
      },
    },
  },
  plugins: [
    zodWithoutEval(),
    zodWithoutJsonSchema(),
    paneforgeWithoutStyleElement(),
    lucideAsElements(),
    sveltekit({
      adapter: adapter({ fallback: 'index.html' }),
      version: { name: manifest.version },
      csp: {
        mode: 'hash',
        directives: {
          'default-src': ['none'],
          'script-src': ['self'],
          'style-src': ['self'],
          // The style attributes on the page: one hides SvelteKit's route announcer, `display: contents;` is bits-ui's.
          'style-src-attr': [
            'unsafe-hashes',
            'sha256-S8qMpvofolR8Mpjy4kQvEm7m1q8clzU4dfDH0AmvZjo=',
            'sha256-iaOezIDcQIoxCULa6FBKKuLUu09R7kG+Mlu+JVfU3Rw=',
          ],
          'connect-src': ['self'],
          'img-src': ['self', 'data:'],
          'font-src': ['self'],
          'manifest-src': ['self'],
          'worker-src': ['self'],
          'base-uri': ['none'],
          'form-action': ['self'],
          'require-trusted-types-for': ['script'],
          'trusted-types': ['svelte-trusted-html', 'sveltekit-trusted-url', 'filepath-worker'],
        },
      },
    }),
  ],
});
