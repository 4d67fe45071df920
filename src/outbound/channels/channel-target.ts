import type { LookupFunction } from 'node:net';
import { publicLookup } from '../public-lookup.ts';
import { checkPublicUrl } from '../webhook-url.ts';
import type { SubscriptionKeys } from './push-encryption.ts';
import { areSubscriptionKeys } from './push-encryption.ts';

/** Where a channel leads, with what it takes to send there. */
export type ChannelTarget =
  | { kind: 'telegram'; token: string; chat: string }
  | { kind: 'discord' | 'slack'; address: string }
  | { kind: 'ntfy'; address: string; token: string | null }
  | { kind: 'webhook'; address: string; secret: string } // whsec_ and base64
  | ({ kind: 'browser'; address: string } & SubscriptionKeys); // the address is its push service's

/** What a person enters for a channel. */
export interface TargetEntries {
  kind: ChannelTarget['kind'];
  address?: string | undefined;
  token?: string | undefined;
  chat?: string | undefined;
  keys?: SubscriptionKeys | undefined;
}

/** Why nothing can be sent to what a person has entered. */
export type TargetRefusal =
  | 'telegram-token'
  | 'telegram-chat'
  | 'discord-address'
  | 'slack-address'
  | 'ntfy-address'
  | 'ntfy-token'
  | 'webhook-address'
  | 'browser-address'
  | 'browser-keys'
  | 'not-public';

const telegramToken = /^\d{5,20}:[\w-]{30,64}$/u;
const telegramChat = /^(?:-?\d{1,20}|@[A-Za-z]\w{4,31})$/u;
const discordPath = /^\/api\/(?:v\d{1,2}\/)?webhooks\/\d{1,24}\/[\w-]{1,200}$/u;
const slackPath = /^\/services\/\w{1,40}\/\w{1,40}\/\w{1,80}$/u;
const ntfyPath = /^\/[\w-]{1,64}$/u;
const ntfyToken = /^[\x21-\x7E]{1,200}$/u; // it stands in a header

/** The target that was entered, or why there is none. A webhook gets the secret that is given. Nothing is looked up. */
export function targetOf(
  { kind, address = '', token = '', chat = '', keys = { p256dh: '', auth: '' } }: TargetEntries,
  newSecret: () => string,
): { ok: true; target: ChannelTarget } | { ok: false; reason: TargetRefusal } {
  const no = (reason: TargetRefusal) => ({ ok: false, reason }) as const;
  if (kind === 'telegram') {
    if (!telegramToken.test(token)) return no('telegram-token');
    return telegramChat.test(chat) ? { ok: true, target: { kind, token, chat } } : no('telegram-chat');
  }
  const check = checkPublicUrl(address);
  if (!check.ok) return no(check.reason === 'not-public' ? 'not-public' : `${kind}-address`);
  const { hostname, pathname, search, hash } = check.url;
  const isBare = search === '' && hash === '';
  if (kind === 'discord') {
    const isDiscord = (hostname === 'discord.com' || hostname === 'discordapp.com') && discordPath.test(pathname) && isBare;
    return isDiscord ? { ok: true, target: { kind, address } } : no('discord-address');
  }
  if (kind === 'slack') {
    const isSlack = hostname === 'hooks.slack.com' && slackPath.test(pathname) && isBare;
    return isSlack ? { ok: true, target: { kind, address } } : no('slack-address');
  }
  if (hash !== '') return no(`${kind}-address`);
  if (kind === 'browser') {
    const { p256dh, auth } = keys;
    return areSubscriptionKeys(keys) ? { ok: true, target: { kind, address, p256dh, auth } } : no('browser-keys');
  }
  if (kind === 'webhook') return { ok: true, target: { kind, address, secret: newSecret() } };
  if (!ntfyPath.test(pathname) || !isBare) return no('ntfy-address');
  if (token !== '' && !ntfyToken.test(token)) return no('ntfy-token');
  return { ok: true, target: { kind, address, token: token === '' ? null : token } };
}

/** The address a target is reached at. */
export function addressOf(target: ChannelTarget): string {
  return target.kind === 'telegram' ? `https://api.telegram.org/bot${target.token}/sendMessage` : target.address;
}

/** The last four characters of what is secret in a target: by them its owner recognizes it. */
export function hintOf(target: ChannelTarget): string {
  if (target.kind === 'telegram') return target.token.slice(-4);
  return (target.kind === 'ntfy' && target.token !== null ? target.token : target.address).slice(-4);
}

/** How long the lookup of a host may take when a channel is added. */
const lookupMs = 5_000;

/** Whether the host of a target has a public address now. It is looked up again at each sending, and the connection goes to what was checked. */
export async function isReachable(target: ChannelTarget, lookup: LookupFunction = publicLookup()): Promise<boolean> {
  const { hostname } = new URL(addressOf(target));
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, lookupMs, false);
  lookup(hostname.replaceAll(/^\[|\]$/gu, ''), { all: true }, (error) => resolve(error === null));
  const found = await promise;
  clearTimeout(timer);
  return found;
}
