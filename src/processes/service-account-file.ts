import { errorText } from '#engine/ports/error-text.ts';
import type { ServiceAccount } from '#outbound/google/service-account.ts';
import { parseServiceAccount } from '#outbound/google/service-account.ts';
import { readFileSync, statSync } from 'node:fs';

/** A service account, and what the person who runs the server should change about its file. */
interface GoogleAccess {
  account: ServiceAccount;
  warning: string | null;
}

/**
 * The service account in a file, null without one, with a warning when others than its owner can read it. They may have to: secrets of a container
 * often are mounted readable.
 *
 * Fails: with a sentence on what is wrong, without anything the file holds
 */
export function readServiceAccount(path: string | null): GoogleAccess | null {
  if (path === null) return null;
  const sentence = (fault: string): Error => new Error(`GOOGLE_SERVICE_ACCOUNT_FILE names ${path}: ${fault}`);
  let text: string;
  let mode: number;
  try {
    text = readFileSync(path, 'utf8');
    ({ mode } = statSync(path));
  } catch (error) {
    throw sentence(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? errorText(error)})`);
  }
  try {
    const account = parseServiceAccount(text);
    return { account, warning: (mode & 0o077) === 0 ? null : `Others can read ${path}, which holds a private key (chmod 600).` };
  } catch (error) {
    throw sentence(errorText(error));
  }
}
