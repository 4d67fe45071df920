const longestAnswer = 200;

/** Reasons of the system why there is no connection; nothing else of an unknown message is repeated. */
const systemReason = /\bE(?:CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE|TIMEDOUT|ADDRNOTAVAIL|ACCES)\b/u;

/**
 * A mail that was not sent, as a sentence for the people who run the server. It has no cause on purpose: what the library
 * throws holds the conversation with the mail server, and that may hold the password.
 */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** What went wrong with a mail. The answer of the mail server is in it without any of the `secrets`, in any of their spellings. */
export function toMailError(error: unknown, secrets: readonly string[]): MailError {
  const {
    code = '',
    response,
    responseCode,
    message,
  } = (error ?? {}) as {
    code?: string;
    response?: string;
    responseCode?: number;
    message?: string;
  };
  const inner = systemReason.exec(message ?? '')?.[0] ?? '';
  const reason = certificateReason(message ?? '');
  if (reason !== null) return new MailError(`The certificate of the mail server is not trusted (${reason}).`);
  if (code === 'EAUTH' || code === 'ENOAUTH')
    return new MailError(`The mail server refused the user name or the password${responseCode === undefined ? '' : ` (${responseCode})`}.`);
  if (code === 'ETLS' && /STARTTLS/u.test(message ?? ''))
    return new MailError('The mail server offers no encryption, and the password is not sent without it.');
  if (code === 'ETLS') return new MailError('The connection with the mail server could not be encrypted.');
  if (response !== undefined) return new MailError(`The mail server refused the mail: ${withoutSecrets(response, secrets)}`);
  if (code === 'ETIMEDOUT') return new MailError('The mail server did not answer in time.');
  return new MailError(`The mail server cannot be reached${inner === '' ? '' : ` (${inner})`}.`);
}

function certificateReason(message: string): string | null {
  if (/self[- ]signed certificate/iu.test(message)) return 'self-signed';
  if (/does not match certificate/iu.test(message)) return 'it is of another host';
  if (/certificate has expired/iu.test(message)) return 'it has expired';
  return /unable to (verify|get).{0,40}certificate/iu.test(message) ? 'of an unknown authority' : null;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const spellings = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), base64(secret)]);
  let clean = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  for (const spelling of spellings.filter((each) => each !== '').sort((a, b) => b.length - a.length))
    clean = clean.replaceAll(spelling, '***');
  return clean.length > longestAnswer ? `${clean.slice(0, longestAnswer)}...` : clean;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
