import type { Database } from '#storage/database.ts';
import { readSettings } from '#storage/installation/installation-settings.ts';
import { readSmtpUrl, type Sender } from './smtp-settings.ts';

/** The sender that an SMTP_URL names, else the product's own. Fails: with a sentence for an address that is none */
export function senderOf(smtpUrl: string | null): Sender {
  return readSmtpUrl(smtpUrl ?? 'smtp://localhost').sender;
}

/** The sender in use: what the installation's settings say, else `fallback`. */
export async function currentSender(db: Database, fallback: Sender): Promise<Sender> {
  const { senderName, senderAddress } = await readSettings(db);
  return { name: senderName === '' ? fallback.name : senderName, address: senderAddress === '' ? fallback.address : senderAddress };
}
