import type { CallInput } from '#contract/client.ts';
import { api } from '../../api/api.ts';
import { reasonOf } from '../../session/login-flow.ts';

/** Where a browser takes messages, and the keys with which they are encrypted for it. */
export type BrowserTarget = Pick<CallInput<'addChannel'>['body'], 'kind' | 'address' | 'keys'>;

/** Why this browser was not subscribed, in a sentence for the person. */
export class NoSubscription extends Error {}

/** Why this browser cannot take messages; null when it can, or can at least ask. */
export function browserObstacle(): string | null {
  if (!window.isSecureContext) return 'Browsers show notifications only for pages over https, or on the same machine (localhost).';
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'standalone' in navigator ? onlyFromHomeScreen : 'This browser cannot take notifications from pages.';
  return Notification.permission === 'denied' ? blocked : null;
}

/**
 * Subscribes this browser, after it has asked the person. A subscription that no channel of the person's knows is replaced: it may be of
 * somebody else who was signed in here, and would show both what is meant for one.
 */
export async function subscribeBrowser(): Promise<BrowserTarget> {
  const obstacle = browserObstacle();
  if (obstacle !== null) throw new NoSubscription(obstacle);
  const permission = await Notification.requestPermission();
  if (permission !== 'granted')
    throw new NoSubscription(
      permission === 'denied' ? blocked : 'Notifications were not allowed. Try again, and allow them when the browser asks.',
    );
  const [{ key }, channels] = await Promise.all([api.channelBrowserKey({}), api.listChannels({})]);
  const { pushManager } = await startWorker();
  const before = await pushManager.getSubscription();
  const known = channels.find(({ kind, hint }) => kind === 'browser' && before?.endpoint.slice(-4) === hint);
  if (known !== undefined) throw new NoSubscription(`This browser has a channel already: ${known.name}.`);
  await before?.unsubscribe();
  try {
    return targetOf(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  } catch {
    throw new NoSubscription('The push service of this browser could not be reached, or is switched off in its settings.');
  }
}

/** Ends the subscription of this browser: the channel for it was not added. */
export async function unsubscribeBrowser(): Promise<void> {
  const registration = await navigator.serviceWorker.ready;
  await (await registration.pushManager.getSubscription())?.unsubscribe();
}

/** Why a channel was not added: the sentence of the server, or why there is no subscription. */
export function channelReason(failure: unknown): string | null {
  return failure instanceof NoSubscription ? failure.message : reasonOf(failure);
}

/** Starts the script that shows notifications, where it does not run yet. */
async function startWorker(): Promise<ServiceWorkerRegistration> {
  try {
    await navigator.serviceWorker.register(workerAddress());
  } catch {
    throw new NoSubscription('The browser could not load the script that shows notifications. Please try again.');
  }
  return navigator.serviceWorker.ready;
}

/** Safari of iPhones and iPads, which alone has `standalone`, gives notifications to pages that were opened there. */
const onlyFromHomeScreen = 'On an iPhone or iPad, add Flotilla to the Home Screen, open it there, and add the channel then.';

const blocked = 'Notifications of this page are blocked. Allow them in the settings of the browser.';

function targetOf(subscription: PushSubscription): BrowserTarget {
  const { endpoint = '', keys } = subscription.toJSON();
  return { kind: 'browser', address: endpoint, keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' } };
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(text: string): string }): { createScriptURL(text: string): string };
}

/** The script that shows notifications. Where the content policy asks for trusted types, no other address is one. */
function workerAddress(): string {
  const script = '/push-worker.js';
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  return trustedTypes?.createPolicy('push-worker', { createScriptURL: () => script }).createScriptURL(script) ?? script;
}
