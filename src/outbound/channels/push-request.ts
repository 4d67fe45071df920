import type { PublicRequest } from '../public-request.ts';
import type { ChannelDelivery } from './channel-request.ts';
import type { ChannelTarget } from './channel-target.ts';
import { channelText } from './channel-text.ts';
import { encryptForBrowser, longestPush } from './push-encryption.ts';
import type { PushSender } from './push-keys.ts';
import { pushAuthorization } from './push-keys.ts';

/** For how long a push service keeps a message for a browser that is not open: as long as we try. */
const keptForS = 86_400;

/** More than that nobody reads in a notification. As it stands in JSON it always fits. */
const longestText = longestPush - 200;

/** The request that brings a delivery to a browser: one notification, encrypted for it, which opens the page of the bot when all of it is about one. */
export async function pushRequest(
  target: Extract<ChannelTarget, { kind: 'browser' }>,
  { id, lines }: ChannelDelivery,
  at: Date,
  sender: PushSender,
): Promise<PublicRequest> {
  const url = new URL(target.address);
  const bots = new Set(lines.map(({ botId }) => botId));
  const [bot] = bots;
  const text = channelText(lines, longestText, (shown) => Buffer.byteLength(JSON.stringify(shown)));
  const isUrgent = lines.some((line) => line.isUrgent);
  const message = { id, text, bot: bots.size === 1 ? (bot ?? null) : null, urgent: isUrgent };
  return {
    method: 'POST',
    url,
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Encoding': 'aes128gcm',
      TTL: String(keptForS),
      Urgency: isUrgent ? 'high' : 'normal',
      Authorization: await pushAuthorization(sender, url, at),
    },
    body: encryptForBrowser(JSON.stringify(message), target),
  };
}
