import { addressStore, writeAddress } from '../address/address.ts';

/**
 * Opens what takes a while to prepare, for a person who is still where it was asked for: nobody is taken away from what was opened since,
 * nor loses what is typed there.
 *
 * Fails: as `prepare`
 */
export async function openWhereAsked(prepare: () => Promise<() => void>): Promise<void> {
  const where = () => writeAddress(addressStore.getState().values);
  const asked = where();
  const open = await prepare();
  if (where() === asked) open();
}
