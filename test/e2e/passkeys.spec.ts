import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { port } from './address.ts';
import { axeFaults } from './axe-faults.ts';
import { signUp } from './people.ts';

const password = 'a long password of mine';
const somewhere = '/?tab=backtest'; // with less to draw than Status; who has not signed in comes here after it
test.use({ baseURL: `http://localhost:${port}` }); // browsers give passkeys to no bare IP address

/** A device that always agrees, as Chromium brings one for tests. */
async function plugIn(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  await client.send('WebAuthn.addVirtualAuthenticator', { options });
}

test('a passkey is added, signs in after the password, and is removed', async ({ page }) => {
  const faults: string[] = [];
  await page.exposeFunction('noteViolation', (text: string) => faults.push(text));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      (window as unknown as { noteViolation: (text: string) => void }).noteViolation(`${effectiveDirective} ${blockedURI}`);
    });
  });
  const picture = async (name: string): Promise<void> => {
    const folder = process.env['E2E_PICTURES'];
    if (folder === undefined) return;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.screenshot({ path: `${folder}/${name}-390.png` });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: null });
  };
  const email = await signUp(page, password, somewhere);
  await plugIn(page);
  const section = page.getByRole('dialog', { name: 'Your Account Settings' }).getByRole('group', { name: 'Passkeys' });
  const openSettings = async (): Promise<void> => {
    await page.getByTitle('Your Account Settings').click();
    await section.scrollIntoViewIfNeeded();
  };
  await openSettings();
  await section.getByRole('button', { name: 'Add Passkey' }).click();
  const add = page.getByRole('dialog', { name: 'Add a Passkey' });
  await add.getByLabel('Name').fill('My laptop');
  await picture('passkey-add');
  expect(await axeFaults(page)).toEqual([]);
  await add.getByRole('button', { name: 'Add Passkey' }).click();
  const codes = page.getByRole('dialog', { name: 'Backup Codes' });
  const backup = (await codes.getByRole('listitem').first().textContent()) ?? '';
  expect(backup).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/u);
  await picture('passkey-codes');
  await codes.getByRole('button', { name: 'I Have Stored Them' }).click();
  await expect(section.getByText('My laptop')).toBeVisible();
  await expect(section.getByText('10 of 10 backup codes are left.')).toBeVisible();
  await picture('passkey-list');
  expect(await axeFaults(page)).toEqual([]);

  // The same device makes no second one.
  await section.getByRole('button', { name: 'Add Passkey' }).click();
  await add.getByLabel('Name').fill('Again');
  await add.getByRole('button', { name: 'Add Passkey' }).click();
  await expect(add.getByText('This device has a passkey of your account already.')).toBeVisible();
  await add.getByRole('button', { name: 'Cancel' }).click();

  const enterPassword = async (): Promise<void> => {
    await page.context().clearCookies();
    await page.goto(somewhere);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await expect(page).toHaveURL(/\/2fa$/u);
  };
  await enterPassword();
  await expect(page.getByText('Confirm with a passkey of your account')).toBeVisible();
  await picture('passkey-sign-in');
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use a Passkey' }).click();
  await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();

  await enterPassword();
  await page.getByRole('button', { name: 'Use a Backup Code' }).click();
  await page.getByLabel('Backup Code').fill(backup);
  await page.getByRole('button', { name: 'Verify Backup Code' }).click();
  await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();

  await openSettings();
  await expect(section.getByText('9 of 10 backup codes are left.')).toBeVisible();
  await expect(section.getByText('last used')).toBeVisible();
  await section.getByRole('button', { name: 'Remove My laptop' }).click();
  const remove = page.getByRole('dialog', { name: 'Remove Passkey' });
  await picture('passkey-remove');
  expect(await axeFaults(page)).toEqual([]);
  await remove.getByRole('button', { name: 'Confirm With a Passkey' }).click();
  await expect(section.getByRole('list', { name: 'Passkeys' })).toHaveCount(0);
  await page.context().clearCookies();
  await page.goto(somewhere);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  expect(faults).toEqual([]);
});
