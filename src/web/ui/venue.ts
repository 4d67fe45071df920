import type { Bot } from '#contract/bots.ts';

/** The one name of how a bot trades: with real money, at a test network, or simulated. */
export type ModeName = Bot['mode'] | 'testnet';

/** The modes, the most real first. */
export const modeNames: readonly ModeName[] = ['live', 'testnet', 'paper'];

/** The mode of a bot by its name on every screen; a live bot of an exchange without real money is at a test network. */
export function modeName(mode: ModeName, exchangeId: string | undefined): ModeName {
  return mode === 'live' && venueName(exchangeId) !== null ? 'testnet' : mode;
}

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
