/** Whether another version of the page has taken over since this one was loaded. */
export class Updates {
  ready = $state(false);

  watch(): () => void {
    const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : null;
    if (!workers) return () => undefined;
    let had = workers.controller !== null;
    const changed = (): void => {
      if (had) this.ready = true;
      else workers.controller?.postMessage(loaded());
      had = true;
    };
    const looked = (): void => {
      if (!document.hidden) void workers.getRegistration().then((one) => one?.update());
    };
    workers.addEventListener('controllerchange', changed);
    // A page that was on its way while the worker took over has none: the worker takes it when it hears of it.
    void workers.ready.then(({ active }) => {
      if (workers.controller === null) active?.postMessage(loaded());
    });
    document.addEventListener('visibilitychange', looked);
    return () => {
      workers.removeEventListener('controllerchange', changed);
      document.removeEventListener('visibilitychange', looked);
    };
  }
}

/** What the page has loaded so far, for a worker that came after it. */
function loaded(): string[] {
  return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
}
