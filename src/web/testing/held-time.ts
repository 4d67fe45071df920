import type { Locator } from 'vitest/browser';
import { expect, onTestFinished } from 'vitest';

// Not the fake timers of vitest: those advance each time `expect.poll` asks and with each press, so that more time passes on a slow machine.

/** Held timers have numbers from here on. */
const firstHeld = 1_000_000_000;

interface HeldTimer {
  at: number;
  every: number | null; // null: once
  run: () => void;
}

const timers = new Map<number, HeldTimer>();
let time = 0;
let newest = firstHeld;

function hold(run: () => void, ms: number, every: number | null): number {
  newest += 1;
  timers.set(newest, { at: time + ms, every, run });
  return newest;
}

/** Puts these in the place of those of the page until the test is over. */
function replaceUntilFinished<T extends object>(of: T, by: Partial<T>): void {
  const names = Object.keys(by) as (keyof T)[];
  const real = Object.fromEntries(names.map((name) => [name, of[name]]));
  Object.assign(of, by);
  onTestFinished(() => {
    Object.assign(of, real);
    timers.clear();
  });
}

/** From here to the end of the test the clock of the page stands still and its beats come by `pass` alone: how fast this machine is does not matter. */
export function holdBeats(): void {
  const clear = window.clearInterval.bind(window);
  time = Date.now();
  replaceUntilFinished(window as Pick<Window, 'setInterval' | 'clearInterval'>, {
    setInterval: ((run: () => void, ms: number) => hold(run, ms, ms)) as Window['setInterval'],
    clearInterval: (timer) => (timers.delete(timer ?? 0) ? undefined : clear(timer)),
  });
  replaceUntilFinished(Date, { now: () => time });
}

/** From here to the end of the test what is shown for a moment goes by `pass` alone, as all that the page does a second later or more, or `longMs`. */
export function holdMoments(longMs = 1000): void {
  const [set, clear] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)];
  replaceUntilFinished(window as Pick<Window, 'setTimeout' | 'clearTimeout'>, {
    setTimeout: ((run: () => void, ms = 0, ...values: unknown[]) =>
      ms < longMs ? set(run, ms, ...values) : hold(run, ms, null)) as Window['setTimeout'],
    clearTimeout: (timer) => (timers.delete(timer ?? 0) ? undefined : clear(timer)),
  });
}

/** Lets so much time pass, and the page do what it does then. What is under way is answered before: it would not be asked for again. */
export async function pass(ms: number): Promise<void> {
  await settle();
  const end = time + ms;
  for (;;) {
    const [due] = [...timers].filter(([, { at }]) => at <= end).toSorted(([, one], [, other]) => one.at - other.at);
    if (due === undefined) break;
    const [id, timer] = due;
    time = timer.at;
    if (timer.every === null) timers.delete(id);
    else timer.at += timer.every;
    timer.run();
  }
  time = end;
  await settle();
}

/** Expects a text that is seen, with moments held, to stay for `ms` and to go then, up to the `rest` that stays. */
export async function expectToGoAfter(ms: number, text: Locator, rest = 0): Promise<void> {
  const count = () => text.elements().length;
  const shown = count();
  expect(shown).toBeGreaterThan(rest);
  await pass(ms - 1);
  expect(count()).toBe(shown);
  await pass(1);
  await expect.poll(count).toBe(rest);
}

/** When calls that are answered at once have been asked and answered, and drawn: many turns of the page, each of which takes longer on a slow machine. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setTimeout(next, 4));
}
