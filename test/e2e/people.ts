import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { PrintedAccount } from './product.ts';

/** The printed account of a role. */
export function account(role: string): PrintedAccount {
  const accounts = JSON.parse(process.env['E2E_ACCOUNTS'] ?? '[]') as PrintedAccount[];
  const found = accounts.find((each) => each.role === role);
  if (found === undefined) throw new Error(`No account of role ${role} was printed`);
  return found;
}

/** Signs in on the page and waits for the dashboard. */
export async function signIn(page: Page, role: string): Promise<void> {
  const { email, password } = account(role);
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();
}

/** Chooses an option of a select box by its label. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
