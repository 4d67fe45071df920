import { errorText } from '#engine/ports/error-text.ts';

/** Who a mail comes from. */
export interface Sender {
  name: string;
  address: string;
}

/** What an SMTP_URL says. */
export interface SmtpSettings {
  host: string;
  port: number;
  isTls: boolean; // from the first byte: smtps
  needsTls: boolean; // the connection must be encrypted before anything secret is sent
  credentials: { user: string; password: string } | null;
  sender: Sender;
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '::1']);

/** One address without a name, brackets, commas or anything else that a mail server could take for a second one. */
const plainAddress = /^[^\s\p{Cc}\p{Zl}\p{Zp}<>()[\]\\,;:"@]+@[^\s\p{Cc}\p{Zl}\p{Zp}<>()[\]\\,;:"@]+$/u;

/** Whether a text is one e-mail address and nothing else. */
export function isPlainAddress(text: string): boolean {
  return text.length <= 320 && plainAddress.test(text);
}

/**
 * Reads `smtp://user:password@host:port?from=Name <address>`, or smtps. A password leaves this machine encrypted or not at all.
 *
 * Fails: with a sentence that holds nothing of the address, because a password may be in it
 */
export function readSmtpUrl(text: string): SmtpSettings {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:')
    throw new Error('SMTP_URL must be an address that begins with smtp:// or smtps://');
  const host = url.hostname.replaceAll(/^\[|\]$/gu, '');
  if (host === '') throw new Error('SMTP_URL names no host');
  const unknown = [...url.searchParams.keys()].filter((name) => name !== 'from');
  if (unknown.length > 0) throw new Error('SMTP_URL may have the parameter "from" and no other');
  const isTls = url.protocol === 'smtps:';
  const hasUser = url.username !== '';
  if (!hasUser && url.password !== '') throw new Error('SMTP_URL has a password but no user');
  return {
    host,
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    needsTls: hasUser && !loopbackHosts.has(host),
    credentials: hasUser ? { user: decoded(url.username), password: decoded(url.password) } : null,
    sender: readSender(url.searchParams.get('from') ?? 'Flotilla <flotilla@localhost>'),
  };
}

/** What is wrong with an SMTP_URL, without anything that stands in it; null when nothing is. */
export function smtpUrlFault(text: string): string | null {
  try {
    readSmtpUrl(text);
    return null;
  } catch (error) {
    return errorText(error);
  }
}

function readSender(text: string): Sender {
  const [, name = '', bracketed] = /^([^<>\p{Cc}]{0,200})<([^<>]+)>$/u.exec(text.trim()) ?? [];
  const address = bracketed ?? text.trim();
  if (!isPlainAddress(address)) throw new Error('The parameter "from" of SMTP_URL must be an e-mail address or Name <address>');
  return { name: name.trim().replaceAll(/^"|"$/gu, ''), address };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('SMTP_URL has a user or password with a % that is not an escape; write it as %25');
  }
}
