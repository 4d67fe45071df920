/** What kind of market an exchange is when it is not a real one: 'simulated market', 'test network', else null. */
export function venueNote(exchangeId: string | undefined): string | null {
  if (exchangeId === 'sandbox') return 'simulated market';
  return exchangeId?.endsWith('_testnet') === true ? 'test network' : null;
}

/** The name of an exchange without real money: 'Sandbox', 'Testnet'; null of a real one. */
export function venueName(exchangeId: string | undefined): string | null {
  if (exchangeId === 'sandbox') return 'Sandbox';
  return exchangeId?.endsWith('_testnet') === true ? 'Testnet' : null;
}

/** What is added to the name of an exchange: ', simulated market', nothing for a real one. */
export function marketNote(exchangeId: string): string {
  const note = venueNote(exchangeId);
  return note === null ? '' : `, ${note}`;
}
