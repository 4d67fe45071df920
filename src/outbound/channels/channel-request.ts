import type { PublicRequest } from '../public-request.ts';
import type { ChannelLine } from './channel-text.ts';
import { channelText } from './channel-text.ts';
import type { ChannelTarget } from './channel-target.ts';
import { addressOf } from './channel-target.ts';
import { signatureHeaders } from './webhook-signature.ts';

/** What is sent at once: lines, under an id that stays the same when it is sent again. */
export interface ChannelDelivery {
  id: string;
  lines: readonly ChannelLine[];
}

const characters = (text: string): number => text.length;
const bytes = (text: string): number => Buffer.byteLength(text);

/** The request that brings a delivery to a target other than a browser. No name in it calls anybody or becomes a link. */
export function channelRequest(target: Exclude<ChannelTarget, { kind: 'browser' }>, delivery: ChannelDelivery, at: Date): PublicRequest {
  const url = new URL(addressOf(target));
  const { lines } = delivery;
  if (target.kind === 'ntfy') {
    const headers = {
      'Content-Type': 'text/plain; charset=utf-8',
      Title: 'Flotilla',
      Priority: lines.some(({ isUrgent }) => isUrgent) ? '5' : '3',
      ...(target.token === null ? {} : { Authorization: `Bearer ${target.token}` }),
    };
    return { method: 'POST', url, headers, body: channelText(lines, 3_900, bytes) }; // more than 4,096 bytes would become a file
  }
  const json = 'application/json; charset=utf-8';
  if (target.kind === 'webhook') {
    const messages = lines.map(({ id, topic, at: happened, text }) => ({ id, topic, at: happened.toISOString(), text }));
    const body = JSON.stringify({ id: delivery.id, messages });
    return { method: 'POST', url, headers: { 'Content-Type': json, ...signatureHeaders(target.secret, delivery.id, at, body) }, body };
  }
  return { method: 'POST', url, headers: { 'Content-Type': json }, body: JSON.stringify(chatBody(target, lines)) };
}

function chatBody(target: Extract<ChannelTarget, { kind: 'telegram' | 'discord' | 'slack' }>, lines: readonly ChannelLine[]): object {
  switch (target.kind) {
    case 'telegram':
      return { chat_id: target.chat, text: channelText(lines, 4_000, characters), link_preview_options: { is_disabled: true } };
    case 'discord': {
      const withoutPreviews = 4;
      return { content: channelText(plainLines(lines), 1_990, characters), allowed_mentions: { parse: [] }, flags: withoutPreviews };
    }
    case 'slack':
      return { text: channelText(lines, 3_500, characters).replaceAll('&', '&amp;'), mrkdwn: false, unfurl_links: false };
  }
}

/** Discord makes bold and lists of signs that a name may hold. */
function plainLines(lines: readonly ChannelLine[]): ChannelLine[] {
  return lines.map((line) => ({ ...line, text: line.text.replaceAll(/[\\*_~`|#]/gu, String.raw`\$&`) }));
}
