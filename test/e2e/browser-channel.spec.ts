import type { BrowserContext, Page, Worker } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { createECDH, randomBytes } from 'node:crypto';
import { chromium } from '../support/chromium.ts';
import { patienceMs } from '../support/patience.ts';
import { port } from './address.ts';
import { axeFaults } from './axe-faults.ts';
import { choose, signUp } from './people.ts';

const baseURL = `http://localhost:${port}`; // notifications are for https and for localhost
test.use({ baseURL, launchOptions: chromium }); // a browser without windows shows no notifications

const bot = '7d0b4f5a-0000-4000-8000-000000000001';

/** Has the browser subscribe without its maker's push service, which no test can reach. The keys are real, the address is anybody's. */
async function subscribeHere(page: Page): Promise<void> {
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  const keys = { p256dh: browser.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') };
  await page.addInitScript((given) => {
    const of: { subscription: object | null } = { subscription: null };
    PushManager.prototype.getSubscription = async () => of.subscription as PushSubscription | null;
    PushManager.prototype.subscribe = async (options) => {
      Object.assign(window, { subscribedWith: options });
      const endpoint = 'https://52.1.2.3/push/abcd';
      const toJSON = () => ({ endpoint, keys: given });
      const unsubscribe = async () => {
        of.subscription = null;
        return true;
      };
      of.subscription = { endpoint, toJSON, unsubscribe };
      return of.subscription as PushSubscription;
    };
  }, keys);
}

const workerOf = async (context: BrowserContext): Promise<Worker> =>
  context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));

/** Has the worker count in `shown` the messages that it has shown. */
async function countShown(worker: Worker): Promise<void> {
  await worker.evaluate(() => {
    interface Here {
      shown: number;
      registration: { showNotification(title: string, options: object): Promise<void> };
    }
    const here = globalThis as unknown as Here;
    const show = here.registration.showNotification.bind(here.registration);
    here.shown = 0;
    here.registration.showNotification = async (title, options) => {
      await show(title, options);
      here.shown += 1;
    };
  });
}

test('a browser becomes a channel, shows what is sent to it, and opens the page of the bot', async ({ page, context }) => {
  await context.grantPermissions(['notifications'], { origin: baseURL });
  const faults: string[] = [];
  await page.exposeFunction('noteViolation', (text: string) => faults.push(text));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      (window as unknown as { noteViolation: (text: string) => void }).noteViolation(`${effectiveDirective} ${blockedURI}`);
    });
  });
  await subscribeHere(page);
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
  await signUp(page, 'a long password of mine', '/?tab=backtest');
  await page.getByTitle('Your Account Settings').click();
  const section = page.getByRole('dialog', { name: 'Your Account Settings' }).getByRole('group', { name: 'Channels', exact: true });
  await section.getByRole('button', { name: 'Add Channel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add Channel' });
  const addThis = async (name: string): Promise<void> => {
    await choose(page, 'Service', 'This browser');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Add Channel' }).click();
  };
  await choose(page, 'Service', 'This browser');
  await picture('browser-add');
  expect(await axeFaults(page)).toEqual([]);
  await addThis('My laptop');
  await expect(section.getByText('My laptop, Browser ****abcd')).toBeVisible();
  await picture('browser-list');
  const { key } = (await (await page.request.get('/api/channels/browser-key')).json()) as { key: string };
  expect(await page.evaluate(() => (window as unknown as { subscribedWith: unknown }).subscribedWith)).toEqual({
    userVisibleOnly: true,
    applicationServerKey: key,
  });

  await test.step('the same browser is not added twice', async () => {
    await section.getByRole('button', { name: 'Add Channel' }).click();
    await addThis('Again');
    await expect(dialog.getByText('This browser has a channel already: My laptop.')).toBeVisible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('a message is shown, and the same one again replaces it', async () => {
    const client = await context.newCDPSession(page);
    const registration = new Promise<string>((resolve) => {
      client.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => resolve(registrations[0]?.registrationId ?? ''));
    });
    await client.send('ServiceWorker.enable');
    const registrationId = await registration;
    const send = (message: object) =>
      client.send('ServiceWorker.deliverPushMessage', { origin: baseURL, registrationId, data: JSON.stringify(message) });
    const shown = () =>
      page.evaluate(async () => {
        const of = await navigator.serviceWorker.ready;
        return (await of.getNotifications()).map(({ title, body, data, requireInteraction }) => ({
          title,
          body,
          data: data as unknown,
          requireInteraction,
        }));
      });
    const worker = await workerOf(context);
    await countShown(worker);
    // Who asks what is shown while a message is being shown has Chromium forget it: it is noted before it is to be seen, and what is not seen goes.
    const untilShown = (count: number) => expect.poll(() => worker.evaluate(() => (globalThis as { shown?: number }).shown)).toBe(count);
    const urgent = { id: 'd1', text: 'LIVE, Harbour: no stop', bot, urgent: true };
    await send(urgent);
    await untilShown(1);
    expect(await shown()).toEqual([{ title: 'Flotilla', body: 'LIVE, Harbour: no stop', data: { bot }, requireInteraction: true }]);
    await send(urgent);
    await send({ id: 'd2', text: 'closed', bot: null, urgent: false });
    await untilShown(3);
    expect((await shown()).map(({ body }) => body).toSorted()).toEqual(['LIVE, Harbour: no stop', 'closed']);
  });

  await test.step('a click opens the page of the bot, in the window that has it where there is one', async () => {
    const worker = await workerOf(context);
    const click = (body: string, waitMs: number) =>
      worker.evaluate(
        async ({ which, longest }) => {
          interface Worker {
            registration: { getNotifications(): Promise<{ body: string }[]> };
            clients: { openWindow(address: string): Promise<null> };
            NotificationEvent: new (type: string, init: object) => Event;
            dispatchEvent(event: Event): boolean;
          }
          const here = globalThis as unknown as Worker;
          const opened = new Promise<string>((resolve) => {
            here.clients.openWindow = async (address) => {
              resolve(address);
              return null;
            };
          });
          const notification = (await here.registration.getNotifications()).find((each) => each.body === which);
          here.dispatchEvent(new here.NotificationEvent('notificationclick', { notification }));
          return Promise.race([opened, new Promise((resolve) => setTimeout(resolve, longest, 'no new window'))]);
        },
        { which: body, longest: waitMs },
      );
    expect(await click('LIVE, Harbour: no stop', patienceMs)).toBe(`${baseURL}/?bot=${bot}`);
    expect(page.url()).not.toContain('bot=');
    await page.goto('/');
    await expect(page.getByRole('tab', { name: 'Status' })).toBeVisible();
    expect(await click('closed', 1_500)).toBe('no new window');
  });

  await test.step('the worker keeps nothing and answers for nobody', async () => {
    expect(await page.evaluate(async () => caches.keys())).toEqual([]);
    const isBetween = await page.evaluate(async () => (await fetch('/api/status/live')).headers.get('cache-control'));
    expect(isBetween).toBe('no-store');
    const script = await (await page.request.get('/push-worker.js')).text();
    expect(script).not.toContain("'fetch'");
  });
  expect(faults).toEqual([]);
});
