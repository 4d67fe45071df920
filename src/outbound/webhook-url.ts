import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Why nothing is sent to an address. */
export type UrlRefusal = 'not-an-address' | 'not-https' | 'with-user' | 'other-port' | 'not-public' | 'not-listed';

/** An address that something may be sent to, or why not. */
export type UrlCheck = { ok: true; url: URL } | { ok: false; reason: UrlRefusal };

/** The chat services that messages may be sent to; the operator may add hosts. */
export const chatHosts: readonly string[] = ['discord.com', 'discordapp.com', 'hooks.slack.com', 'api.telegram.org'];

const longest = 2_000;

/** Last labels of names that a network gives to its own machines, and of names that no public machine has. */
const localNames = new Set([
  'local',
  'localhost',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'arpa',
  'onion',
  'test',
  'example',
  'invalid',
]);

/**
 * First of three checks of an address that a person has entered: what is written. Node never asks the lookup for an IP
 * address, in whichever of its spellings, so that is checked here. The host is a chat service, or one that the operator has added.
 */
export function checkWebhookUrl(text: string, addedHosts: readonly string[]): UrlCheck {
  const check = checkPublicUrl(text);
  if (!check.ok || [...chatHosts, ...addedHosts].includes(check.url.hostname)) return check;
  return { ok: false, reason: 'not-listed' };
}

/** The same without the list of hosts. */
export function checkPublicUrl(text: string): UrlCheck {
  const no = (reason: UrlRefusal): UrlCheck => ({ ok: false, reason });
  // A URL drops blanks and line breaks and takes a backslash for a slash; what was checked must be what was written.
  if (text.length > longest || /[\s\p{Cc}\p{Cf}\\]/u.test(text) || !URL.canParse(text)) return no('not-an-address');
  const url = new URL(text);
  if (url.protocol !== 'https:') return no('not-https');
  if (!/^https:\/\/[^/]/iu.test(text)) return no('not-an-address');
  const written = text.slice('https://'.length).split(/[/?#]/u, 1)[0] ?? '';
  if (url.username !== '' || url.password !== '' || written.includes('@')) return no('with-user');
  if (url.port !== '') return no('other-port');
  return isPublicHost(url.hostname) ? { ok: true, url } : no('not-public');
}

/** Whether a host name may be one of the public Internet: a public IP address, or a name of several labels. */
export function isPublicHost(hostname: string): boolean {
  const address = hostname.replaceAll(/^\[|\]$/gu, '');
  if (isIP(address) !== 0) return isPublicAddress(address);
  const labels = hostname.split('.');
  return labels.length > 1 && labels.every((label) => label !== '') && !localNames.has(labels.at(-1) ?? '');
}
