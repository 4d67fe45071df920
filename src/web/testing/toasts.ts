import { expect } from 'vitest';

/** Does something and waits for the toast that says how it went: it stays for two seconds, and on a busy machine is gone before anybody looks for it. */
export async function expectToast(text: string, action: () => Promise<void>): Promise<void> {
  const before = new Set(document.querySelectorAll('.fl-toast'));
  const shown = new Set<string>();
  const observer = new MutationObserver(() => {
    for (const toast of document.querySelectorAll('.fl-toast'))
      if (!before.has(toast) && toast.checkVisibility({ visibilityProperty: true })) shown.add(toast.textContent);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  try {
    await action();
    await expect.poll(() => [...shown]).toContain(text);
  } finally {
    observer.disconnect();
  }
}
