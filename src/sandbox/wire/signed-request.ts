import { createHmac, timingSafeEqual } from 'node:crypto';
import { secondMs } from '#engine/market/durations.ts';
import { numberOf } from './query.ts';
import { type KeyRight, rightOf, secretOf } from './sandbox-keys.ts';
import { WireError } from './wire-error.ts';

/** Who asks, and what the key may do. */
export interface KeyHolder {
  apiKey: string;
  right: KeyRight;
}

/** What was received of a request: its query without the '?', and its body. The signature is over these very bytes. */
export interface ReceivedText {
  query: string;
  body: string;
}

/** The holder of a key, unchecked otherwise. Fails: WireError -2014 or -2015 */
export function holderOf(apiKey: string | null): KeyHolder {
  if (apiKey === null || apiKey === '') throw new WireError(401, -2014, 'API-key format invalid.');
  const right = rightOf(apiKey);
  if (right === null) throw new WireError(401, -2015, 'Invalid API-key, IP, or permissions for action.');
  return { apiKey, right };
}

/**
 * The holder of the key that signed a request, checked in the exchange's order: the key, the time, the signature over the
 * received text without it.
 *
 * Fails: WireError as the exchange words it
 */
export function keyHolder(apiKey: string | null, text: ReceivedText, now: number): KeyHolder {
  const holder = holderOf(apiKey);
  const parameters = parametersOf(text);
  checkTime(parameters, now);
  const signed = withoutSignature(text.query) + withoutSignature(text.body);
  if (!isSignedBy(holder.apiKey, signed, parameters.get('signature')))
    throw new WireError(400, -1022, 'Signature for this request is not valid.');
  return holder;
}

/** The parameters of a request, those of the query first. */
export function parametersOf({ query, body }: ReceivedText): URLSearchParams {
  return new URLSearchParams([query, body].filter((part) => part !== '').join('&'));
}

/** Refuses a request whose time is too far from that of the market. Fails: WireError -1021, -1102, -1131 */
export function checkTime(parameters: URLSearchParams, now: number): void {
  if (!parameters.has('timestamp'))
    throw new WireError(400, -1102, "Mandatory parameter 'timestamp' was not sent, was empty/null, or malformed.");
  const timestamp = numberOf(parameters, 'timestamp', 0);
  const window = numberOf(parameters, 'recvWindow', 5 * secondMs);
  if (window > 60 * secondMs) throw new WireError(400, -1131, 'recvWindow must be less than 60000.');
  if (timestamp > now + secondMs) throw new WireError(400, -1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  if (timestamp < now - window) throw new WireError(400, -1021, 'Timestamp for this request is outside of the recvWindow.');
}

/** Whether a text carries the signature of a key's secret, in hexadecimal digits. */
export function isSignedBy(apiKey: string, text: string, signature: string | null): boolean {
  const wanted = createHmac('sha256', secretOf(apiKey)).update(text).digest();
  const given = Buffer.from(signature ?? '', 'hex');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function withoutSignature(text: string): string {
  return text
    .split('&')
    .filter((part) => !part.startsWith('signature='))
    .join('&');
}
