import type { Reach, RequestFault } from '../public-request.ts';
import { publicRequest } from '../public-request.ts';
import { checkPublicUrl } from '../webhook-url.ts';
import type { ChannelDelivery } from './channel-request.ts';
import { channelRequest } from './channel-request.ts';
import type { ChannelTarget } from './channel-target.ts';
import { addressOf } from './channel-target.ts';
import type { PushSender } from './push-keys.ts';
import { pushRequest } from './push-request.ts';

/** What became of a delivery. Never a word of the other side's. */
export type ChannelOutcome = { ok: true } | { ok: false; isGone: boolean; waitMs: number; fault: string }; // gone: trying again is of no use; waitMs: for how long it asks to be left alone

/** When something is sent, and as whom to browsers. */
export interface Sending {
  at: Date;
  push: PushSender;
}

/** Sends a delivery to a channel. Of the answer its status and how long it asks to wait are read, nothing else. */
export async function sendToChannel(
  target: ChannelTarget,
  delivery: ChannelDelivery,
  { at, push }: Sending,
  reach?: Reach,
): Promise<ChannelOutcome> {
  if (!checkPublicUrl(addressOf(target)).ok) return failed(faults['host-not-public']);
  const request = target.kind === 'browser' ? await pushRequest(target, delivery, at, push) : channelRequest(target, delivery, at);
  const answer = await publicRequest(request, 0, reach);
  if (!answer.ok) return failed(faults[answer.reason]);
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return { ok: true };
  if (status === 429 || status === 503) {
    const fault =
      status === 429 ? 'The other side wants fewer messages (HTTP 429).' : 'The other side cannot take messages now (HTTP 503).';
    return { ok: false, isGone: false, waitMs: waitOf(retryAfter, at), fault };
  }
  const gone = goneStatuses[target.kind].includes(status);
  return { ok: false, isGone: gone, waitMs: 0, fault: refusal(target.kind, status, gone) };
}

const faults: Readonly<Record<RequestFault, string>> = {
  'host-not-public': 'The host has no public address.',
  unreachable: 'The host could not be reached.',
  'untrusted-certificate': 'The certificate of the host is not trusted.',
  'too-slow': 'The host did not answer in time.',
  'answer-too-long': 'The host answered with too much.',
};

/** Answers by which a service says that there is nobody any more: the hook was deleted, the bot was blocked, the token is void. */
const goneStatuses: Readonly<Record<ChannelTarget['kind'], readonly number[]>> = {
  telegram: [401, 403, 404, 410],
  discord: [401, 404, 410],
  slack: [404, 410],
  ntfy: [404, 410],
  webhook: [404, 410],
  browser: [404, 410],
};

function refusal(kind: ChannelTarget['kind'], status: number, isGone: boolean): string {
  const code = `(HTTP ${status})`;
  if (kind === 'telegram') {
    if (status === 400) return `Telegram does not know this chat ${code}. Write to your bot first, and check the chat id.`;
    if (status === 403) return `The Telegram bot was blocked, or removed from the chat ${code}.`;
    if (isGone) return `Telegram does not know this bot token ${code}.`;
  }
  if (isGone && kind === 'browser') return `The browser takes no messages any more ${code}. Delete the channel, and add it again there.`;
  if (isGone) return `Nobody takes messages at this address any more ${code}.`;
  return `The other side refused the message ${code}.`;
}

function failed(fault: string): ChannelOutcome {
  return { ok: false, isGone: false, waitMs: 0, fault };
}

/** An hour: who asks for more is asked again then. */
const longestWaitMs = 3_600_000;

/** How long a `Retry-After` asks to wait: seconds, or until a date. */
function waitOf(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const asked = /^\d{1,9}(?:\.\d{1,9})?$/u.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return Number.isFinite(asked) ? Math.min(Math.max(Math.ceil(asked), 0), longestWaitMs) : 0;
}
