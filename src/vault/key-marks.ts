import { createHmac } from 'node:crypto';
import { keyFrom } from './seal.ts';

/** What marks of stored keys are calculated with. It opens nothing. */
export type MarkingKey = Buffer;

/** The part of an installation's key that marks are calculated with. */
export function markingKey(masterKey: Buffer): MarkingKey {
  return keyFrom(masterKey, 'marks of stored keys');
}

/** By what two keys of an exchange are recognized as the same; without the marking key nothing can be concluded from it. */
export function markOf(marking: MarkingKey, exchangeId: string, key: string): string {
  return createHmac('sha256', marking)
    .update(JSON.stringify([exchangeId, key]))
    .digest('hex');
}
