/**
 * Where the focus goes when a dialog opens: its first field, with what is in it selected. Where a finger points,
 * the dialog itself, since a keyboard on the screen would cover half of it.
 */
export function focusFirst(event: Event, panel: HTMLElement | null): void {
  if (panel === null) return;
  event.preventDefault();
  const field = matchMedia('(pointer: coarse)').matches
    ? null
    : panel.querySelector<HTMLElement>(
        '.dialog-body :is(input, textarea, select):not(:disabled, [type="hidden"])',
      );
  (field ?? panel).focus();
  if (field instanceof HTMLInputElement) field.select();
}
