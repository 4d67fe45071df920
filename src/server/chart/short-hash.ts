import { createHash } from 'node:crypto';

/** Eight letters that are others when the values are others: to see a change by, not to keep a secret. */
export function shortHash(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 8);
}
