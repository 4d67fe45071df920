import type { Page } from '@playwright/test';

/** Keeps a page from fetching what it needs only at a press once it has been at rest for ten seconds: on a slow machine that is before it is looked at. */
export async function withoutRest(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const set = window.setTimeout.bind(window);
    Object.assign(window, { setTimeout: (work: () => void, ms?: number) => (ms === 10_000 ? 0 : set(work, ms)) });
  });
}
