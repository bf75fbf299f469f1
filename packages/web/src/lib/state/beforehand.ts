/** Parts without which a page opens. The rest, grammars and mathematics, is fetched only where it is shown. */
const parts = import.meta.glob([
  '../components/shared/{DialogPanel,ConfirmPanel,AttentionPopover}.svelte',
  '../components/palette/PaletteDialog.svelte',
  '../components/changes/ChangesView.svelte',
  '../components/chat/{MessageFiles,HandoffBlock,PlanBlock,DecisionBlock,GateBlock,MemoriesBlock}.svelte',
  '../components/session/{SessionBudgetDialog,AgentMenu,SuggestionList,AttachedList,KeysDialog}.svelte',
  '../components/session/{TreeDrawer,TreeResizer,SpawnModal,BudgetDialog,TreeMenu,TreeTip}.svelte',
]);

const REST_MS = 5_000;
/** A page that is never idle, or that nobody looks at, has them after all. */
const BUSY_MS = 1_000;

/** The name of the performance mark that says that all of them are there. */
const FETCHED = 'parts-fetched';

/** Fetches them once the page rests: what is opened later is there at once, and also when the server is not. */
export function fetchBeforehand(): () => void {
  let left = false;
  const timer = setTimeout(() => void fetchAll(() => left), REST_MS);
  return () => {
    left = true;
    clearTimeout(timer);
  };
}

/** Safari has none. */
const whenIdle: typeof requestIdleCallback | undefined = globalThis.requestIdleCallback;

/** One after the other, so that none of them is in the way of a frame. */
async function fetchAll(stopped: () => boolean): Promise<void> {
  for (const fetchPart of Object.values(parts)) {
    if (whenIdle !== undefined)
      await new Promise((resolve) => whenIdle(resolve, { timeout: BUSY_MS }));
    if (stopped()) return;
    // What cannot be fetched now is asked for again where it is shown.
    await fetchPart().catch(() => undefined);
  }
  performance.mark(FETCHED);
}
