import { randomUUID } from 'node:crypto';
import { botState, clientOrderId } from '#engine/bot/state.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { BotOrders } from './bot-orders.ts';
import { FeeValues } from './fee-values.ts';
import type { AccountName } from './order-accounts.ts';
import { OrderAccounts } from './order-accounts.ts';
import type { OrderStore } from './order-store.ts';
import { aStoredOrder } from './testing/a-stored-order.ts';

const { db } = await freshDatabase();
const symbol = 'BTC/USDT';

test('a bot begins although a question about one of its orders was refused once, long before the last answer comes', async () => {
  const apiKeyId = randomUUID();
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'Waits', symbols: [symbol] });
  // The account of a key that is gone is closed.
  await sql`insert into api_keys (id, user_id, exchange_id, label, key_hint, sealed, created_at)
    select ${apiKeyId}, user_id, 'sandbox', 'test', 'abcd', '{}', now() from bots where id = ${botId}`.execute(db);
  const venue = new InMemoryVenue({
    accountId: apiKeyId,
    instruments: [anInstrument({ symbol })],
    balances: { USDT: 1_000, BTC: 10 },
    time: Date.now(),
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  venue.setPrices(symbol, { bid: 100, ask: 100.1 });
  const [refused, slow] = [clientOrderId(botId, 1), clientOrderId(botId, 2)];
  const stored = [refused, slow].map((id) => aStoredOrder({ botId, clientOrderId: id, symbol }));
  for (const order of stored) await venue.place({ ...order, expiresAt: Date.now() + 60_000 });
  const answer = Promise.withResolvers<void>();
  const ask = venue.order.bind(venue);
  let refusals = 0;
  vi.spyOn(venue, 'order').mockImplementation(async (of, id) => {
    if (id === refused && (refusals += 1) === 1) throw new ExchangeError('rejected', 'No.');
    if (id === slow) await answer.promise;
    return await ask(of, id);
  });
  const pace = 0.01; // of the exchange's clock: a normal check comes after 0.3 s
  const accounts = new OrderAccounts(
    { db },
    async () => venue,
    Date.now,
    () => undefined,
    pace,
  );
  onTestFinished(() => accounts.close());
  const account: AccountName = { apiKeyId, exchangeId: 'sandbox', marketType: 'spot' };
  const room = await accounts.room(account);
  const store: OrderStore = {
    orders: async () => stored.map((order) => ({ ...order })),
    send: async () => await Promise.reject(new Error('They were sent before')),
    change: async () => true,
    entryRefusal: async () => null,
    fillBefore: async () => null,
  };
  const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, startingBalance: 100, stoploss: -0.1, minimalRoi: {} });
  const errors: unknown[] = [];
  const orders = new BotOrders(accounts, account, {
    id: botId,
    claim: '1',
    store,
    timeInForce: {},
    feeValues: new FeeValues(
      async () => Promise.reject(new Error('no market')),
      () => undefined,
    ),
    state: () => botState({ botId, timeframe: '1m', status: 'active', settings }),
    onReport: () => undefined,
    onNumbersSeen: () => undefined,
    onError: (error) => errors.push(error),
    onFenced: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => orders.end());
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const failures = vi.spyOn(room, 'failureOf');
  /** Until the bot has looked again at what it waits for. */
  const check = async (): Promise<void> => {
    const before = failures.mock.results.length;
    await expect.poll(() => failures.mock.results.length).toBeGreaterThan(before + 1);
  };
  const begins = orders.open();
  begins.catch(() => undefined);
  await expect.poll(() => refusals).toBe(2);
  await expect.poll(() => room.failureOf(botId)).toBeNull();
  await check();
  vi.advanceTimersByTime(15_001);
  await Promise.race([check(), begins]);
  answer.resolve();
  await begins;
  expect(errors).toMatchObject([{ kind: 'rejected', message: 'No.' }]); // it received that
});
