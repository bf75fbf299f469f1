import type { Locator } from 'playwright-core';

export type GivenFile = { readonly name: string; readonly type: string; readonly bytes: Buffer };

/** Pastes a file into a field, or drops it there, as a browser tells the page of it. */
export async function give(
  field: Locator,
  how: 'paste' | 'drop',
  { name, type, bytes }: GivenFile,
): Promise<void> {
  await field.evaluate(
    (one, given) => {
      const data = new DataTransfer();
      const held = Uint8Array.from(atob(given.base64), (c) => c.charCodeAt(0));
      data.items.add(new File([held], given.name, { type: given.type }));
      const options = { bubbles: true, cancelable: true };
      one.dispatchEvent(
        given.how === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data }),
      );
    },
    { how, name, type, base64: bytes.toString('base64') },
  );
}
