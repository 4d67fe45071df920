import { createHmac, timingSafeEqual } from 'node:crypto';
import { secondMs } from '#engine/market/durations.ts';
import { numberOf } from './query.ts';
import { type KeyRight, rightOf, secretOf } from './sandbox-keys.ts';
import { WireError } from './world.ts';

/** Who asks, and what the key may do. */
export interface KeyHolder {
  apiKey: string;
  right: KeyRight;
}

/**
 * The holder of the key that signed a request, checked in the exchange's order: the key, the time, the signature over the
 * query without it.
 *
 * Fails: WireError as the exchange words it
 */
export function keyHolder(apiKey: string | null, search: string, now: number): KeyHolder {
  if (apiKey === null || apiKey === '') throw new WireError(401, -2014, 'API-key format invalid.');
  const right = rightOf(apiKey);
  if (right === null) throw new WireError(401, -2015, 'Invalid API-key, IP, or permissions for action.');
  const query = new URLSearchParams(search);
  const timestamp = numberOf(query, 'timestamp', 0);
  if (timestamp > now + secondMs) throw new WireError(400, -1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  if (timestamp < now - numberOf(query, 'recvWindow', 5 * secondMs, 60 * secondMs))
    throw new WireError(400, -1021, 'Timestamp for this request is outside of the recvWindow.');
  const signed = search
    .slice(1)
    .split('&')
    .filter((part) => !part.startsWith('signature='))
    .join('&');
  const wanted = createHmac('sha256', secretOf(apiKey)).update(signed).digest();
  const given = Buffer.from(query.get('signature') ?? '', 'hex');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new WireError(400, -1022, 'Signature for this request is not valid.');
  return { apiKey, right };
}
