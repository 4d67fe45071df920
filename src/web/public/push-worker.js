// Shows what the server sends to this browser as notifications, and opens the page of the bot when one is clicked. It stands between the
// page and the server in no request, and keeps nothing.

self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('push', (event) => {
  const { id, text, bot, urgent } = event.data.json(); // as src/outbound/channels/push-request.ts has written it
  // The same message again replaces what may be shown of it.
  const options = { body: text, tag: id, requireInteraction: urgent, data: { bot } };
  event.waitUntil(self.registration.showNotification('Flotilla', options));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { bot } = event.notification.data;
  const address = new URL(bot === null ? '/' : `/?bot=${encodeURIComponent(bot)}`, self.location.origin);
  event.waitUntil(open(address.href));
});

/** Shows an address: in the window that has it already, else in a new one. A window with something else is left as it is. */
async function open(address) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = windows.find(({ url }) => url === address);
  await (shown === undefined ? self.clients.openWindow(address) : shown.focus());
}
