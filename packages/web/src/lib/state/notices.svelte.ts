import { recall, remember } from './remembered.ts';

/** Notifications of the system, for one who asked for them. A browser has them on https and localhost only. */
class Notices {
  readonly possible = isSecureContext && 'Notification' in globalThis;
  #granted = $state(this.possible && Notification.permission === 'granted');
  #wanted = $state(recall('notices') === 'on');
  denied = $state(this.possible && Notification.permission === 'denied');
  on = $derived(this.#granted && this.#wanted);

  /** To be called by a click: browsers ask the person then only. */
  async turnOn(): Promise<void> {
    const answer = await Notification.requestPermission();
    this.#granted = answer === 'granted';
    this.denied = answer === 'denied';
    this.#want(this.#granted);
  }

  turnOff(): void {
    this.#want(false);
  }

  /** Tells a person who looks elsewhere. Notices of several tabs under the same tag are one. */
  async tell(title: string, body: string, tag: string, path: string): Promise<void> {
    if (!this.on || document.hasFocus()) return;
    const worker = await navigator.serviceWorker.getRegistration();
    await worker?.showNotification(title, { body, tag, data: path, icon: '/icons/192.png' });
  }

  #want(wanted: boolean): void {
    this.#wanted = wanted;
    remember('notices', wanted ? 'on' : 'off');
  }
}

export const notices = new Notices();
