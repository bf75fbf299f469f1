/** A field as high as its text. The style sheet does it where the browser can. */
export function grown(text: () => string): (field: HTMLTextAreaElement) => void {
  const able = CSS.supports('field-sizing', 'content');
  return (field) => {
    const shown = text();
    if (able) return;
    field.style.height = 'auto';
    field.style.height = shown === '' ? '' : `${field.scrollHeight}px`;
  };
}
