import type { TreeCommands } from './tree-commands.svelte.ts';
import type { TreeView } from './tree-view.svelte.ts';

/** The session on the page, for what can be done there. */
export type PaletteContext = {
  readonly tree: TreeView;
  readonly commands: TreeCommands;
  readonly selected: () => string | null;
};

class PaletteState {
  open = $state(false);
  context = $state.raw<PaletteContext | null>(null);
}

export const palette = new PaletteState();

/** The session is on the page until what comes back is called. */
export function offerToPalette(context: PaletteContext): () => void {
  palette.context = context;
  return () => {
    if (palette.context === context) palette.context = null;
  };
}
