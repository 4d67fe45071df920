import type { Credentials } from '#engine/ports/credentials.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';

/** An error whose text may hold a signed address, without the cause and with every secret blanked. */
export function withoutSecrets(error: ExchangeError, credentials: Credentials): ExchangeError {
  return new ExchangeError(error.kind, blanked(error.message, credentials), { retryAfterMs: error.retryAfterMs });
}

/** A text in which key, secret, passphrase, signature and listen key are blanked. */
export function blanked(text: string, { key, secret, passphrase }: Credentials): string {
  return [key, secret, passphrase].reduce<string>(
    (rest, part) => (part === null || part === '' ? rest : rest.replaceAll(part, '***').replaceAll(encodeURIComponent(part), '***')),
    text.replaceAll(/(signature|listenKey)=[^&\s]+/gu, '$1=***'),
  );
}
