import type { Page } from '@playwright/test';

/** Runs in the page: notes every frame and every change of the document. */
function watch(): void {
  const noted = { frames: [] as number[], changes: [] as { changed: number; painted: number }[], keyAt: 0 };
  Object.assign(globalThis, { noted });
  const frame = (): void => {
    noted.frames.push(performance.now());
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  document.addEventListener('keydown', () => (noted.keyAt = performance.now()), { capture: true });
  new MutationObserver(() => {
    const change = { changed: performance.now(), painted: 0 };
    noted.changes.push(change);
    // A task that is entered while a frame is made runs when it has been painted.
    requestAnimationFrame(() => setTimeout(() => (change.painted = performance.now())));
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

interface Noted {
  frames: number[];
  changes: { changed: number; painted: number }[];
  keyAt: number;
}

const read = (page: Page): Promise<Noted> => page.evaluate(() => (globalThis as unknown as { noted: Noted }).noted);

/** Begins to note frames in a page. */
export async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(watch);
}

/** How long the frames took, in ms, while something was done. */
export async function framesDuring(page: Page, work: () => Promise<void>): Promise<number[]> {
  const from = await page.evaluate(() => performance.now());
  await work();
  const frames = (await read(page)).frames.filter((time) => time >= from);
  return frames.slice(1).map((time, i) => time - (frames[i] ?? time));
}

/** From the press of a key to the paint of the last change it led to, in ms; changes later than a second are of something else. */
export async function keyToPaint(page: Page, key: string): Promise<number> {
  await page.keyboard.press(key);
  await page.waitForTimeout(700);
  const { changes, keyAt } = await read(page);
  const own = changes.filter(({ changed }) => changed >= keyAt && changed < keyAt + 400);
  return Math.max(0, ...own.map(({ painted }) => painted - keyAt));
}
