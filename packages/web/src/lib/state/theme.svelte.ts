import { recall, remember } from './remembered.ts';

/** Light or dark: the system's until the viewer chooses. `static/theme.js` applies it before the first paint. */
export class Theme {
  dark = $state(document.documentElement.classList.contains('dark'));

  toggle(): void {
    this.#apply(!this.dark);
    remember('theme', this.dark ? 'dark' : 'light');
  }

  /** Follows the other tabs, and the system while nothing was chosen. */
  follow(): () => void {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const changed = (): void => {
      const chosen = recall('theme');
      this.#apply(chosen === null ? system.matches : chosen === 'dark');
    };
    system.addEventListener('change', changed);
    addEventListener('storage', changed);
    return () => {
      system.removeEventListener('change', changed);
      removeEventListener('storage', changed);
    };
  }

  #apply(dark: boolean): void {
    const root = document.documentElement;
    this.dark = dark;
    root.classList.toggle('dark', dark);
    root.style.colorScheme = dark ? 'dark' : 'light';
    document
      .querySelector('meta[name="theme-color"]')
      ?.setAttribute('content', dark ? '#09090b' : '#ffffff');
  }
}
