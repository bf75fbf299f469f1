import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PerFrame } from '../src/lib/state/per-frame.ts';

const page = Object.assign(new EventTarget(), { hidden: false });
let frames = new Map<number, () => void>();
let last = 0;

const frame = (): void => {
  const due = [...frames.values()];
  frames = new Map();
  for (const run of due) run();
};
const turn = (hidden: boolean): void => {
  page.hidden = hidden;
  page.dispatchEvent(new Event('visibilitychange'));
};

beforeEach(() => {
  vi.useFakeTimers();
  frames = new Map();
  page.hidden = false;
  vi.stubGlobal('document', page);
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => {
    last += 1;
    frames.set(last, run);
    return last;
  });
  vi.stubGlobal('cancelAnimationFrame', (id: number) => frames.delete(id));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('[UIT2] runs once a frame, however often it is asked for', () => {
  const work = vi.fn();
  const each = new PerFrame(work);
  for (let times = 0; times < 3; times += 1) each.ask();
  vi.advanceTimersByTime(1000);
  expect(work).not.toHaveBeenCalled();
  frame();
  expect(work).toHaveBeenCalledTimes(1);
  each.ask();
  frame();
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(2);
});

it('[UIH7] runs on a page that is hidden, also where it was hidden before the frame came', () => {
  const work = vi.fn();
  const each = new PerFrame(work);
  each.ask();
  turn(true);
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(1);
  each.ask();
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(2);
  turn(false);
  frame();
  expect(work).toHaveBeenCalledTimes(2);
});

it('runs no more once it is cancelled', () => {
  const work = vi.fn();
  const each = new PerFrame(work);
  each.ask();
  each.cancel();
  turn(true);
  frame();
  vi.advanceTimersByTime(1000);
  expect(work).not.toHaveBeenCalled();
});
