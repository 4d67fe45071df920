import type { Locator } from 'vitest/browser';
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

/** Writes a text into a field at once, as one key does. */
export function typeAtOnce(field: Locator, text: string): void {
  const input = field.element() as HTMLInputElement;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
  input.dispatchEvent(new Event('input', { bubbles: true }));
}
