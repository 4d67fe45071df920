import { page } from 'vitest/browser';
import { expect } from 'vitest';

/** Expects a text to be seen on the page; a string is the whole text of its element. */
export async function says(text: string | RegExp): Promise<void> {
  await expect.element(page.getByText(text, typeof text === 'string' ? { exact: true } : {})).toBeVisible();
}

/** The button of this name. */
export function button(name: string) {
  return page.getByRole('button', { name, exact: true });
}
