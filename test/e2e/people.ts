import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { PrintedAccount } from './product.ts';

/** The printed account of a role. */
export function account(role: string): PrintedAccount {
  const accounts = JSON.parse(process.env['E2E_ACCOUNTS'] ?? '[]') as PrintedAccount[];
  const found = accounts.find((each) => each.role === role);
  if (found === undefined) throw new Error(`No account of role ${role} was printed`);
  return found;
}

/** How long a session serves other tests too, in ms: it need not be renewed before. */
const sharedMs = 8 * 60_000;

/** The sessions that tests of this worker share, by role. */
const shared = new Map<string, { cookies: Awaited<ReturnType<BrowserContext['cookies']>>; until: number }>();

/**
 * Gives the page the session that this worker has as the role, and opens nothing yet: drawing Status, which nobody looks at, costs two
 * seconds of a processor. Whoever signs out takes a session of its own: `signInAlone`.
 */
export async function takeSession(page: Page, role: string): Promise<void> {
  const known = shared.get(role);
  if (known !== undefined && Date.now() < known.until) return page.context().addCookies(known.cookies);
  await takeNewSession(page, role);
  shared.set(role, { cookies: await page.context().cookies(), until: Date.now() + sharedMs });
}

/** Opens the dashboard where the test begins, in the session that this worker has as the role. */
export async function signIn(page: Page, role: string, address = '/'): Promise<void> {
  await takeSession(page, role);
  await openDashboard(page, address);
}

/** Opens the dashboard where the test begins, in a new session of the role. */
export async function signInAlone(page: Page, role: string, address = '/'): Promise<void> {
  await takeNewSession(page, role);
  await openDashboard(page, address);
}

async function takeNewSession(page: Page, role: string): Promise<void> {
  const { email, password } = account(role);
  const answer = await page.request.post('/api/auth/login', { data: { email, password } });
  expect(answer.ok(), `sign-in ${answer.status()}`).toBe(true);
}

async function openDashboard(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.getByRole('tab', { name: 'Status' }).first()).toBeVisible();
}

/** Has the page follow an address, as it follows Back and Forward. It is loaded only where it is not open yet: that costs a second or two of a processor. */
export async function moveTo(page: Page, address: string): Promise<void> {
  if (page.url() === 'about:blank') {
    await page.goto(address);
    return;
  }
  await page.evaluate((next) => {
    window.history.pushState(null, '', next);
    window.dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, address);
}

/** Signs in through the form and waits for the dashboard: for tests of what the form does. */
export async function enterPassword(page: Page, role: string): Promise<void> {
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

/**
 * The code in the newest mail with this subject to an address, once it is there: without a mail server mails are files of
 * the instance folder `home`. A code stands alone on a line.
 */
export async function mailedCode(
  to: string,
  subject: string,
  { home = process.env['E2E_HOME'] ?? '', pattern = /^\d{6}$/mu } = {},
): Promise<string> {
  const folder = join(home, 'mails');
  const newest = (): string => {
    const mails = readdirSync(folder)
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((mail) => mail.includes(`To: ${to}\n`) && mail.includes(`Subject: ${subject}\n`));
    return pattern.exec(mails.at(-1) ?? '')?.[0] ?? '';
  };
  await expect.poll(newest).not.toBe('');
  return newest();
}

/** Signs a new trader up, opens the dashboard where the test begins and gives the e-mail: for tests that change what others must find as it was. */
export async function signUp(page: Page, password: string, address = '/'): Promise<string> {
  const email = `new-${randomUUID()}@example.com`;
  const { origin } = new URL((await page.request.get('/api/system/status')).url());
  const send = async (path: string, data: object): Promise<void> => {
    const answer = await page.request.post(`/api/auth/${path}`, { data, headers: { origin } });
    expect(answer.ok(), `${path} ${answer.status()}`).toBe(true);
  };
  await send('register', { email, password, confirmPassword: password });
  await send('verify-email', { email, code: await mailedCode(email, 'Your verification code') });
  await openDashboard(page, address);
  return email;
}
