import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';

/** Does something and waits for the toast that says how it went: it stays for two seconds, and on a busy machine is gone before anybody looks for it. */
export async function expectToast(page: Page, text: string, action: () => Promise<void>): Promise<void> {
  await page.evaluate(() => {
    const shown: string[] = [];
    Object.assign(window, { shownToasts: shown });
    new MutationObserver(() => {
      for (const toast of document.querySelectorAll('.fl-toast')) shown.push(toast.textContent);
    }).observe(document.body, { childList: true, subtree: true });
  });
  await action();
  const shown = () => page.evaluate(() => [...new Set((window as unknown as { shownToasts: string[] }).shownToasts)]);
  await expect.poll(shown).toContainEqual(expect.stringContaining(text));
}
