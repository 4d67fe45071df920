import { readAddress, writeAddress } from './address.ts';

const key = 'return-address';

/** Notes what the address named when the person was sent to sign in; it outlives a reload and the screens of the sign-in. */
export function keepReturnAddress(search: string): void {
  const wanted = writeAddress(readAddress(search));
  if (wanted !== '') sessionStorage.setItem(key, wanted);
}

/** The noted query, once; null when there is none. */
export function takeReturnAddress(): string | null {
  const wanted = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return wanted;
}

/** Forgets it: the person left on purpose. */
export function dropReturnAddress(): void {
  sessionStorage.removeItem(key);
}
