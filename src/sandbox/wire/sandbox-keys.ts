import { createHmac, randomBytes } from 'node:crypto';
import type { SandboxMarket } from '../market/listings.ts';

/** What a key of the sandbox may do: to trade on one market alone, on both, or to withdraw as well. */
export type KeyRight = 'read' | SandboxMarket | 'trade' | 'withdraw';

/** Whether a key of this right may trade on a market. */
export function mayTrade(right: KeyRight, market: SandboxMarket): boolean {
  return right === 'trade' || right === 'withdraw' || right === market;
}

/** A key with its secret, as an exchange hands them out. */
export interface KeyPair {
  apiKey: string;
  secretKey: string;
}

const letters: Readonly<Record<KeyRight, string>> = { read: 'r', spot: 's', futures: 'f', trade: 't', withdraw: 'w' };

/** The right of a name; null when there is none. */
export function rightNamed(name: string): KeyRight | null {
  return (Object.keys(letters) as KeyRight[]).find((right) => right === name) ?? null;
}

/** A new key. Nothing is remembered: the secret follows from the key, so a key still works after the sandbox has been started again. */
export function newKeyPair(right: KeyRight): KeyPair {
  const apiKey = `${letters[right]}${randomBytes(31).toString('hex')}x`;
  return { apiKey, secretKey: secretOf(apiKey) };
}

/** The secret of a key. Its money is invented, so this protects nothing; it distinguishes wrong secrets from right ones. */
export function secretOf(apiKey: string): string {
  return createHmac('sha256', 'the keys of the sandbox').update(apiKey).digest('hex');
}

/** What a key may do; null when the sandbox has never handed out such a key. */
export function rightOf(apiKey: string): KeyRight | null {
  if (!/^[rsftw][0-9a-f]{62}x$/u.test(apiKey)) return null;
  return (Object.keys(letters) as KeyRight[]).find((right) => letters[right] === apiKey[0]) ?? null;
}
