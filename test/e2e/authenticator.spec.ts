import { expect, test } from '@playwright/test';
import { codeAt, stepsAt } from '../../src/server/auth/totp.ts';
import { axeFaults } from './axe-faults.ts';
import { signUp } from './people.ts';

const password = 'a long password of mine';
const somewhere = '/?tab=backtest'; // with less to draw than Status; who has not signed in comes here after it

/** The bytes of a secret as it is shown. */
function bytesOf(shown: string): Buffer {
  const letters = shown.replaceAll(/\s/gu, '');
  const bits = letters
    .split('')
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/gu) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

test('an authenticator app is set up, asked for at the next sign-in, and a backup code stands in for it once', async ({ page }) => {
  const faults: string[] = [];
  await page.exposeFunction('noteViolation', (text: string) => faults.push(text));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      (window as unknown as { noteViolation: (text: string) => void }).noteViolation(`${effectiveDirective} ${blockedURI}`);
    });
  });
  const email = await signUp(page, password, somewhere);
  const picture = async (name: string): Promise<void> => {
    const folder = process.env['E2E_PICTURES'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
  };
  await page.getByTitle('Your Account Settings').click();
  const section = page.getByRole('dialog', { name: 'Your Account Settings' }).getByRole('group', { name: 'Authenticator App' });
  await picture('section-off');
  await section.getByRole('button', { name: 'Set Up App' }).click();
  const setUp = page.getByRole('dialog', { name: 'Set Up an Authenticator App' });
  await expect(setUp.getByRole('img', { name: 'QR code of the secret' })).toBeVisible();
  const secret = bytesOf((await setUp.getByLabel('Secret', { exact: true }).textContent()) ?? '');
  await picture('set-up');
  expect(await axeFaults(page)).toEqual([]);
  const step = stepsAt(new Date());
  await setUp.getByLabel('2FA Code').fill(codeAt(secret, step));
  await setUp.getByRole('button', { name: 'Confirm' }).click();

  const codes = page.getByRole('dialog', { name: 'Backup Codes' });
  const backup = (await codes.getByRole('listitem').first().textContent()) ?? '';
  expect(backup).toMatch(/^[a-z2-7]{5}-[a-z2-7]{5}$/u);
  await picture('backup-codes');
  expect(await axeFaults(page)).toEqual([]);
  const [file] = await Promise.all([page.waitForEvent('download'), codes.getByRole('button', { name: 'Download' }).click()]);
  expect(file.suggestedFilename()).toBe('flotilla-backup-codes.txt');
  await codes.getByRole('button', { name: 'I Have Stored Them' }).click();
  await expect(section.getByText('10 of 10 backup codes are left.')).toBeVisible();
  await picture('section-on');
  expect(await axeFaults(page)).toEqual([]);

  const enterPassword = async (): Promise<void> => {
    await page.context().clearCookies();
    await page.goto(somewhere);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await expect(page).toHaveURL(/\/2fa$/u);
  };
  await enterPassword();
  await page.getByLabel('2FA Code').fill(codeAt(secret, step)); // it has confirmed the app
  await page.getByRole('button', { name: 'Verify 2FA Code' }).click();
  await expect(page.getByText('Invalid or expired 2FA code. Please try again.')).toBeVisible();
  await picture('sign-in');
  expect(await axeFaults(page)).toEqual([]);
  await page.getByLabel('2FA Code').fill(codeAt(secret, Math.max(step + 1, stepsAt(new Date()))));
  await page.getByRole('button', { name: 'Verify 2FA Code' }).click();
  await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();

  await enterPassword();
  await page.getByRole('button', { name: 'Use a Backup Code' }).click();
  await page.getByLabel('Backup Code').fill(backup);
  await picture('sign-in-backup');
  await page.getByRole('button', { name: 'Verify Backup Code' }).click();
  await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  expect(faults).toEqual([]);
});
