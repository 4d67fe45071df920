import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { thirdPort } from './address.ts';
import { choose, mailedCode } from './people.ts';
import type { Product } from './product.ts';
import { startProduct } from './product.ts';
import { expectToast } from './toasts.ts';

// A product of its own: what is switched here reaches everybody who signs in or up.
const admin = { email: 'boss@harbour.example', password: 'a password of the boss' };
const password = 'a password of a guest';
let home = '';
let product: Product;

test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'flotilla-installation-'));
  chmodSync(home, 0o755);
  product = await startProduct({
    home,
    port: thirdPort,
    environment: { ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password },
    signIns: 1,
  });
});
test.afterAll(async () => {
  await product.stop();
  rmSync(home, { recursive: true, force: true });
});

const newPage = async (browser: Browser): Promise<Page> => (await browser.newContext({ baseURL: product.url })).newPage();

async function enterPassword(page: Page, { email, password: own }: { email: string; password: string }, address = '/login'): Promise<void> {
  await page.goto(address);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(own);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
}

async function enterTwoFactor(page: Page, email: string): Promise<void> {
  await expect(page).toHaveURL(/\/2fa$/u);
  await page.getByLabel('2FA Code').fill(await mailedCode(email, 'Your 2FA code', { home }));
  await page.getByRole('button', { name: /verify/iu }).click();
  await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();
}

async function openInstallation(page: Page): Promise<void> {
  await enterPassword(page, admin, '/?tab=settings&view=installation');
  await expect(page.getByRole('tab', { name: 'Status' }).or(page.getByLabel('2FA Code'))).toBeVisible();
  if (await page.getByLabel('2FA Code').isVisible()) await enterTwoFactor(page, admin.email);
  await expect(page.getByRole('combobox', { name: 'May sign up' })).toBeVisible();
}

async function save(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Pending changes' }).getByRole('button', { name: 'Save Changes' }).click();
}

async function fillSignUp(page: Page, email: string): Promise<void> {
  await page.goto('/register');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password', { exact: true }).fill(password);
}

test('an invitation makes one account, of its role, for its own address', async ({ browser }) => {
  const page = await newPage(browser);
  await openInstallation(page);
  await choose(page, 'May sign up', 'People with an invitation');
  await expectToast(page, 'Settings saved!', () => save(page));
  const email = 'mira@harbour.example';
  await page.getByLabel('Email to invite').fill(email);
  await choose(page, 'Role', 'operator');
  await page.getByRole('button', { name: 'Send Invitation' }).click();
  const row = page.getByRole('table', { name: 'Invitations' }).getByRole('row').filter({ hasText: email });
  await expect(row).toContainText('open');
  const code = await mailedCode(email, 'Your invitation to Flotilla', { home, pattern: /^[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}$/mu });

  const guest = await newPage(browser);
  await fillSignUp(guest, 'somebody-else@harbour.example');
  await guest.getByLabel('Invitation Code').fill(code);
  await guest.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(guest.getByText('Invalid or expired invitation code')).toBeVisible();
  await guest.getByLabel('Email').fill(email);
  await guest.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await guest.getByLabel('Verification Code').fill(await mailedCode(email, 'Your verification code', { home }));
  await guest.getByRole('button', { name: 'Verify Email' }).click();
  await expect(guest.getByTitle('Your Account Settings')).toContainText('operator');

  await page.reload();
  await expect(row).toContainText('used');
  await page.getByRole('link', { name: 'Audit Log' }).click();
  await expect(page.getByRole('cell', { name: 'Invited somebody' })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'Changed a setting of the installation' })).toBeVisible();
});

test('a second factor that is required ends the session of who has none, and is set up by the next sign-in', async ({ browser }) => {
  const page = await newPage(browser);
  await openInstallation(page);
  await choose(page, 'May sign up', 'Everybody');
  await expectToast(page, 'Settings saved!', () => save(page));
  const trader = await newPage(browser);
  const email = 'trader@harbour.example';
  await fillSignUp(trader, email);
  await trader.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await trader.getByLabel('Verification Code').fill(await mailedCode(email, 'Your verification code', { home }));
  await trader.getByRole('button', { name: 'Verify Email' }).click();
  await expect(trader.getByTitle('Your Account Settings')).toContainText('trader');

  // Not before the admin has a second factor.
  await choose(page, 'Require 2FA for', 'All accounts');
  await save(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('Switch on 2FA for your own account first.')).toBeVisible();
  await page.getByTitle('Your Account Settings').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Setup 2FA' }).click();
  await page
    .getByRole('dialog')
    .getByLabel('2FA Code')
    .fill(await mailedCode(admin.email, 'Your 2FA code', { home }));
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /verify/iu })
    .click();
  await expect(page.getByRole('dialog').getByText('2FA is enabled')).toBeVisible();
  await page.keyboard.press('Escape');
  await save(page);
  await expectToast(page, 'Settings saved!', () => page.getByRole('dialog').getByRole('button', { name: 'Save Changes' }).click());

  await expect(trader).toHaveURL(/\/login$/u); // by itself: the next poll is refused
  await enterPassword(trader, { email, password });
  await enterTwoFactor(trader, email);
  await trader.getByTitle('Your Account Settings').click();
  await expect(trader.getByRole('dialog').getByText('2FA is enabled')).toBeVisible();

  // A fresh account is confirmed by its code and signs in with both.
  const fresh = await newPage(browser);
  const freshEmail = 'fresh@harbour.example';
  await fillSignUp(fresh, freshEmail);
  await fresh.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await fresh.getByLabel('Verification Code').fill(await mailedCode(freshEmail, 'Your verification code', { home }));
  await fresh.getByRole('button', { name: 'Verify Email' }).click();
  await expect(fresh).toHaveURL(/\/login$/u);
  await expect(fresh.getByText('Email verified successfully. Please sign in.')).toBeVisible();
  await fresh.getByLabel('Password', { exact: true }).fill(password);
  await fresh.getByRole('button', { name: 'Sign In', exact: true }).click();
  await enterTwoFactor(fresh, freshEmail);
});

test('closed registration shows a sentence and makes no account', async ({ browser }) => {
  const page = await newPage(browser);
  await openInstallation(page);
  const guest = await newPage(browser);
  await fillSignUp(guest, 'late@harbour.example');
  await choose(page, 'May sign up', 'Nobody');
  await expectToast(page, 'Settings saved!', () => save(page));
  await guest.getByRole('button', { name: 'Sign Up', exact: true }).click(); // the form was opened before
  await expect(guest.getByText('Registration is closed. Ask an administrator for an account.').first()).toBeVisible();
  await guest.goto('/register');
  await expect(guest.getByText('Registration is closed. Ask an administrator for an account.')).toBeVisible();
  await expect(guest.getByLabel('Email')).toHaveCount(0);
  const users = (await (await page.request.get('/api/settings/users')).json()) as { email: string }[];
  expect(users.map(({ email }) => email)).not.toContain('late@harbour.example');
});
