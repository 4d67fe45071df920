import { afterEach, expect, test } from 'vitest';
import { Answerer } from '../../testing/answerer.ts';
import { aChannel } from '../../testing/samples/users.ts';
import { NoSubscription, subscribeBrowser } from './browser-subscription.ts';

let network: Answerer;
const restores: (() => void)[] = [];
afterEach(() => {
  network.stop();
  for (const restore of restores.splice(0)) restore();
});

const replace = (of: object, name: string, value: unknown): void => {
  const before = Object.getOwnPropertyDescriptor(of, name);
  Object.defineProperty(of, name, { configurable: true, get: () => value });
  restores.push(() => void (before === undefined ? Reflect.deleteProperty(of, name) : Object.defineProperty(of, name, before)));
};

/** A browser whose person allows notifications, and which has a subscription already. */
function aSubscribedBrowser(endpoint: string) {
  const done: string[] = [];
  const subscription = (of: string) => ({
    endpoint: of,
    toJSON: () => ({ endpoint: of, keys: { p256dh: 'key', auth: 'secret' } }),
    unsubscribe: async () => void done.push(`ended ${of}`),
  });
  const pushManager = {
    getSubscription: async () => subscription(endpoint),
    subscribe: async () => {
      done.push('subscribed');
      return subscription('https://push.example/next');
    },
  };
  replace(navigator, 'serviceWorker', { register: async () => undefined, ready: Promise.resolve({ pushManager }) });
  replace(window, 'Notification', { permission: 'granted', requestPermission: async () => 'granted' });
  return done;
}

test('the subscription of somebody else who was signed in at this browser ends before there is another: messages for one are not shown to both', async () => {
  network = new Answerer().on('channelBrowserKey', { key: 'BPublicKey' }).on('listChannels', []);
  const done = aSubscribedBrowser('https://push.example/of-somebody-else');
  expect(await subscribeBrowser()).toEqual({
    kind: 'browser',
    address: 'https://push.example/next',
    keys: { p256dh: 'key', auth: 'secret' },
  });
  expect(done).toEqual(['ended https://push.example/of-somebody-else', 'subscribed']);
});

test('a browser that has a channel of the person already keeps it', async () => {
  const own = aChannel(1, { kind: 'browser', name: 'Desk', hint: 'mine' });
  network = new Answerer().on('channelBrowserKey', { key: 'BPublicKey' }).on('listChannels', [own]);
  const done = aSubscribedBrowser('https://push.example/mine');
  await expect(subscribeBrowser()).rejects.toEqual(new NoSubscription('This browser has a channel already: Desk.'));
  expect(done).toEqual([]);
});
