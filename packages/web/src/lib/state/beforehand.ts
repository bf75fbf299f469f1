/** Parts without which a page opens. The rest, grammars and mathematics, is fetched only where it is shown. */
const parts = import.meta.glob([
  '../components/shared/{DialogPanel,ConfirmPanel,AttentionList}.svelte',
  '../components/palette/PaletteDialog.svelte',
  '../components/changes/ChangesView.svelte',
  '../components/chat/{MessageFiles,HandoffBlock,PlanBlock,DecisionBlock,GateBlock,MemoriesBlock}.svelte',
  '../components/session/{SessionBudgetDialog,AgentMenu,SuggestionList,AttachedList,KeysDialog}.svelte',
  '../components/session/{TreeDrawer,SpawnModal,BudgetDialog,TreeMenu,TreeTip}.svelte',
]);

const REST_MS = 5_000;

/** The name of the performance mark that says that all of them are there. */
const FETCHED = 'parts-fetched';

/** Fetches them once the page rests: what is opened later is there at once, and also when the server is not. */
export function fetchBeforehand(): () => void {
  const timer = setTimeout(() => {
    if (whenIdle === undefined) void fetchAll();
    else whenIdle(() => void fetchAll());
  }, REST_MS);
  return () => clearTimeout(timer);
}

/** Safari has none. */
const whenIdle: typeof requestIdleCallback | undefined = globalThis.requestIdleCallback;

async function fetchAll(): Promise<void> {
  // What cannot be fetched now is asked for again where it is shown.
  await Promise.allSettled(Object.values(parts).map((fetchPart) => fetchPart()));
  performance.mark(FETCHED);
}
