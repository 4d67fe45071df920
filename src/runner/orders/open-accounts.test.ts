import type { LiveTrading } from '#storage/trades/trade-mode.ts';
import { openingKey } from '#vault/opening.ts';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { openAccounts } from './open-accounts.ts';

const { db } = await freshDatabase();
const opening = await openingKey(Buffer.alloc(32, 1));
const account = (exchangeId: string) => ({ apiKeyId: randomUUID(), exchangeId, marketType: 'spot' }) as const;

/** Tries to open an account whose key is gone: that is found out where the key is looked for. */
const open = async (liveTrading: LiveTrading, exchangeId: string) =>
  await openAccounts(db, opening, { sandboxUrl: '', liveTrading, log: () => undefined })(account(exchangeId));

test.each([
  ['off', 'binance'],
  ['off', 'sandbox'],
  ['sandbox', 'binance'],
] as const)('where LIVE_TRADING is %s no key of %s is looked for, whatever the bot is', async (liveTrading, exchangeId) => {
  await expect(open(liveTrading, exchangeId)).rejects.toThrow('Live trading is disabled on this server; the bot does nothing.');
});

test.each([
  ['sandbox', 'sandbox'],
  ['on', 'binance'],
] as const)('where LIVE_TRADING is %s the key of a bot at %s is looked for', async (liveTrading, exchangeId) => {
  await expect(open(liveTrading, exchangeId)).rejects.toThrow('The API key of the bot is gone.');
});
