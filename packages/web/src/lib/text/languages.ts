/** What people write after a fence, and the name of its grammar. */
const NAMES = {
  bash: 'bash sh shell zsh shellscript console',
  c: 'c h cpp c++ cc hpp cxx',
  csharp: 'csharp c# cs',
  css: 'css',
  diff: 'diff patch',
  docker: 'docker dockerfile containerfile',
  go: 'go golang',
  graphql: 'graphql gql',
  html: 'html htm',
  ini: 'ini conf properties',
  java: 'java',
  javascript: 'javascript js mjs cjs node',
  json: 'json',
  jsonc: 'jsonc json5',
  jsx: 'jsx',
  kotlin: 'kotlin kt kts',
  lua: 'lua',
  makefile: 'makefile make mk',
  markdown: 'markdown md mdx',
  php: 'php',
  powershell: 'powershell ps1 pwsh',
  python: 'python py py3 python3',
  ruby: 'ruby rb',
  rust: 'rust rs',
  scss: 'scss sass',
  sql: 'sql sqlite postgres postgresql mysql',
  svelte: 'svelte',
  swift: 'swift',
  toml: 'toml',
  tsx: 'tsx',
  typescript: 'typescript ts mts cts',
  vue: 'vue',
  xml: 'xml svg plist',
  yaml: 'yaml yml',
  zig: 'zig',
} as const;
export type Language = keyof typeof NAMES;

const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([language, names]) =>
    names.split(' ').map((name) => [name, language as Language] as const),
  ),
);

/** Null: it is shown in one colour. */
export const languageOf = (name: string): Language | null => BY_NAME.get(name) ?? null;
