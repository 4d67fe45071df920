import type { Delivery } from '#outbound/post-webhook.ts';

/** A text as Discord (`content`), Slack and Telegram (`text`) take it. Nobody is called by it, whatever name stands in it. */
export function chatMessage(text: string): Readonly<Record<string, unknown>> {
  return { content: text, text, allowed_mentions: { parse: [] } };
}

const faults: Readonly<Record<string, string>> = {
  'not-listed': 'This host is not among those that messages may be sent to.',
  'host-not-public': 'The host has no public address.',
  unreachable: 'The host could not be reached.',
  'untrusted-certificate': 'The certificate of the host is not trusted.',
  'too-slow': 'The host did not answer in time.',
};

/** Why a message was not delivered, as a person reads it; null when it was. */
export function deliveryFault(delivery: Delivery): string | null {
  if (delivery.ok) return null;
  if (delivery.reason === 'refused') return `The host refused the message (HTTP ${delivery.status}).`;
  return faults[delivery.reason] ?? 'The address is not one that messages may be sent to.';
}
