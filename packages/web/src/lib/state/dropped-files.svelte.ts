/** Files that are pasted into a field, or dropped on it. */
export class DroppedFiles {
  /** Files are held over it. */
  over = $state(false);
  readonly #take: (files: readonly File[]) => void;

  constructor(take: (files: readonly File[]) => void) {
    this.#take = take;
  }

  /** Of the box of an `InputFrame`. */
  readonly box = {
    role: 'group',
    'aria-label': 'Message',
    ondragover: (event: DragEvent) => this.#drag(event),
    ondragleave: () => {
      this.over = false;
    },
    ondrop: (event: DragEvent) => this.#drop(event),
  } as const;

  paste(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])];
    // Text that comes with a picture of itself is pasted as text.
    if (files.length === 0 || event.clipboardData?.types.includes('text/plain')) return;
    event.preventDefault();
    this.#take(files);
  }

  #drag(event: DragEvent): void {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.over = true;
  }

  #drop(event: DragEvent): void {
    this.over = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    this.#take(files);
  }
}
