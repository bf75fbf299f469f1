/**
 * Hosts that tools need to install packages, by language. Each serves packages and indexes that anybody may read; none takes
 * uploads without an account. Hosts where anybody may keep anything are left out, but for GitHub, which registries refer to.
 */
export const REGISTRIES: readonly string[] = [
  // JavaScript: npm, yarn, pnpm; the headers that node-gyp compiles against; JSR.
  'registry.npmjs.org',
  'registry.yarnpkg.com',
  'repo.yarnpkg.com',
  'nodejs.org',
  'jsr.io',
  'npm.jsr.io',
  // Python: pip, uv, poetry; conda.
  'pypi.org',
  'files.pythonhosted.org',
  'conda.anaconda.org',
  'repo.anaconda.com',
  // Rust: cargo's sparse index and crates; rustup.
  'crates.io',
  'index.crates.io',
  'static.crates.io',
  'static.rust-lang.org',
  // Go: modules, their checksums, toolchains.
  'proxy.golang.org',
  'sum.golang.org',
  'go.dev',
  // Ruby.
  'rubygems.org',
  'index.rubygems.org',
  // Java and Kotlin: Maven Central, Gradle and its plugins.
  'repo.maven.apache.org',
  'repo1.maven.org',
  'plugins.gradle.org',
  'plugins-artifacts.gradle.org',
  'services.gradle.org',
  'downloads.gradle.org',
  // PHP: composer.
  'packagist.org',
  'repo.packagist.org',
  'getcomposer.org',
  // .NET.
  'api.nuget.org',
  'www.nuget.org',
  'globalcdn.nuget.org',
  // Elixir and Erlang, Haskell, Dart.
  'repo.hex.pm',
  'hex.pm',
  'hackage.haskell.org',
  'pub.dev',
  // Debian, Ubuntu, Alpine.
  'deb.debian.org',
  'security.debian.org',
  'archive.ubuntu.com',
  'security.ubuntu.com',
  'ports.ubuntu.com',
  'dl-cdn.alpinelinux.org',
  // Releases and archives on GitHub, which packages of all of these fetch from.
  'github.com',
  'codeload.github.com',
  'objects.githubusercontent.com',
  'release-assets.githubusercontent.com',
  'raw.githubusercontent.com',
];
