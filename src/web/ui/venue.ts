/** What kind of market an exchange is when it is not a real one: 'simulated market', 'test network', else null. */
export function venueNote(exchangeId: string | undefined): string | null {
  if (exchangeId === 'sandbox') return 'simulated market';
  return exchangeId?.endsWith('_testnet') === true ? 'test network' : null;
}
