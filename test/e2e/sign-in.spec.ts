import { expect, test } from '@playwright/test';
import { account, enterPassword, mailedCode, signIn } from './people.ts';

test('the printed accounts are one of each role', () => {
  for (const role of ['admin', 'operator', 'trader', 'investor']) expect(account(role).password.length).toBeGreaterThan(12);
});

test('AUTH-01, AUTH-12, SHELL-14 signing in leads to the dashboard; a reload stays there; Logout leads back', async ({ page }) => {
  await page.goto('/');
  await expect(page).toHaveURL(/\/login$/u);
  await enterPassword(page, 'trader');
  await expect(page).toHaveURL(/\/(\?.*)?$/u);
  await expect(page.getByText(account('trader').email, { exact: true })).toBeVisible(); // a banner about its bots may name it, too
  await page.reload();
  await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/\/login$/u);
  await page.goto('/');
  await expect(page).toHaveURL(/\/login$/u);
});

test('ERR-01, OP-11 a wrong password is shown in red and signs nobody in', async ({ page }) => {
  await page.goto('/login');
  await page.getByLabel('Email').fill(account('trader').email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(page.getByText('Invalid email or password')).toBeVisible();
  await expect(page).toHaveURL(/\/login$/u);
});

test('AUTH-15..20 a stranger signs up, types the mailed code and is on the dashboard', async ({ page }) => {
  const email = `stranger-${Date.now()}@example.com`;
  await page.goto('/register');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('a long password');
  await page.getByLabel('Confirm Password', { exact: true }).fill('a long password');
  await page.getByRole('button', { name: /sign up/iu }).click();
  await expect(page.getByLabel('Verification Code')).toBeVisible();
  await page.getByLabel('Verification Code').fill(await mailedCode(email, 'Your verification code'));
  await page.getByRole('button', { name: 'Verify Email' }).click();
  await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  await expect(page.getByText(email)).toBeVisible();
});

test('AUTH-05, AUTH-14, OP-02 a forgotten password is set again with a mailed code', async ({ page }) => {
  const email = `forgetful-${Date.now()}@example.com`;
  await page.request.post('/api/auth/register', { data: { email, password: 'the old password', confirmPassword: 'the old password' } });
  await page.goto('/login');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send Reset Code' }).click();
  await expect(page).toHaveURL(/\/reset-password$/u);
  const code = await mailedCode(email, 'Your password reset code');
  await expect(page.getByLabel('Email')).toHaveValue(email);
  await page.getByLabel('Reset Code').fill(code);
  await page.getByLabel('New Password', { exact: true }).fill('the new password');
  await page.getByLabel('Confirm Password', { exact: true }).fill('the new password');
  await page.getByRole('button', { name: 'Reset Password' }).click();
  await expect(page).toHaveURL(/\/login$/u);
  await expect(page.getByText('Password reset successfully. Please sign in.')).toBeVisible();
});

test('API-56, API-57 an ended session leads to sign-in by itself: the next look for news is refused', async ({ page, context }) => {
  await signIn(page, 'operator');
  await context.clearCookies();
  await expect(page).toHaveURL(/\/login$/u);
});
