import type { Database } from '#storage/database.ts';
import { readSettings } from '#storage/installation-settings.ts';

/** Who a mail comes from. */
export interface Sender {
  name: string;
  address: string;
}

/** The sender that an SMTP_URL names with `from=Name <address>`, else the product's own. */
export function senderOf(smtpUrl: string | null): Sender {
  const from = smtpUrl === null ? null : new URL(smtpUrl).searchParams.get('from');
  const [, name = '', bracketed] = /^([^<>\p{Cc}]{0,200})<([^<>\p{Cc}]+)>$/u.exec((from ?? 'Flotilla <flotilla@localhost>').trim()) ?? [];
  return { name: name.trim().replaceAll(/^"|"$/gu, ''), address: bracketed ?? from?.trim() ?? '' };
}

/** The sender in use: what the installation's settings say, else `fallback`. */
export async function currentSender(db: Database, fallback: Sender): Promise<Sender> {
  const { senderName, senderAddress } = await readSettings(db);
  return { name: senderName === '' ? fallback.name : senderName, address: senderAddress === '' ? fallback.address : senderAddress };
}
