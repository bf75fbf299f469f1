/** What is less than this is a bar of the browser that comes and goes. */
const LEAST_PX = 80;

/**
 * Some browsers lay their on-screen keyboard over the page instead of making the page smaller, and push the page up.
 * The page gives the keyboard its room itself, and stays where it is. Gives back how to stop that.
 */
export function giveKeyboardRoom(): () => void {
  const view = globalThis.visualViewport;
  if (!view) return () => undefined;
  const { style } = document.documentElement;
  const fit = (): void => {
    const hidden = innerHeight - view.height;
    // One who has enlarged the page sees a part of it.
    const keyboard = view.scale === 1 && hidden >= LEAST_PX ? Math.round(hidden) : 0;
    if (keyboard === 0) style.removeProperty('--keyboard');
    else {
      style.setProperty('--keyboard', `${keyboard}px`);
      if (view.offsetTop > 0) scrollTo(0, 0);
    }
  };
  view.addEventListener('resize', fit);
  view.addEventListener('scroll', fit);
  fit();
  return () => {
    view.removeEventListener('resize', fit);
    view.removeEventListener('scroll', fit);
    style.removeProperty('--keyboard');
  };
}
