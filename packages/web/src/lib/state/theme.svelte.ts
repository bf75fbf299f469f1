import { recall, remember } from './remembered.ts';

/** Light or dark: the system's until the viewer chooses. `static/theme.js` applies it before the first paint. */
export class Theme {
  dark = $state(document.documentElement.classList.contains('dark'));

  toggle(): void {
    this.#apply(!this.dark);
    remember('theme', this.dark ? 'dark' : 'light');
  }

  /** Follows the system while nothing was chosen. */
  follow(): () => void {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const changed = (): void => {
      if (recall('theme') === null) this.#apply(system.matches);
    };
    system.addEventListener('change', changed);
    return () => system.removeEventListener('change', changed);
  }

  #apply(dark: boolean): void {
    this.dark = dark;
    document.documentElement.classList.toggle('dark', dark);
  }
}
