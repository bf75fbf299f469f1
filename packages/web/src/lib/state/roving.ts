/** Buttons of a long list as one stop of the tab key: arrows, Home and End go from one to the next. */
export function roving(selector: string) {
  return (list: HTMLElement): (() => void) => {
    const all = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>(selector)];
    const stop = (at: HTMLElement): void => {
      for (const one of list.querySelectorAll<HTMLElement>(`${selector}[tabindex="0"]`)) {
        one.tabIndex = -1;
      }
      at.tabIndex = 0;
    };
    const focused = ({ target }: FocusEvent): void => {
      if (target instanceof HTMLElement && target.matches(selector)) stop(target);
    };
    const pressed = (event: KeyboardEvent): void => {
      const { target, key } = event;
      if (!(target instanceof HTMLElement) || !target.matches(selector)) return;
      const buttons = all();
      const next = nextOf(key, buttons.indexOf(target), buttons.length);
      const button = next === null ? undefined : buttons[next];
      if (button === undefined) return;
      event.preventDefault();
      button.focus();
    };
    list.addEventListener('focusin', focused);
    list.addEventListener('keydown', pressed);
    return () => {
      list.removeEventListener('focusin', focused);
      list.removeEventListener('keydown', pressed);
    };
  };
}

export function nextOf(key: string, at: number, count: number): number | null {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(at - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return null;
}
