import { addFill } from '#engine/account/order-fills.ts';
import { paymentOf } from '#engine/account/refresh-funding.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { aFill, anOrder } from '#engine/account/testing/an-order.ts';
import { toStoredTrade } from '#engine/bot/stored-state.ts';
import { dayMs, hourMs } from '#engine/market/durations.ts';
import type { CertificateFacts } from '#engine/report/certificate/certificate-facts.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { askCertificate, findCertificate } from '#storage/certificates/certificates.ts';
import { aDecision } from '#storage/testing/a-decision.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { ampleDisk } from '../../../../test/support/ample-disk.ts';
import { freshDatabase } from '../../../../test/support/fresh-database.ts';
import { startMarket } from '../../../../test/support/market.ts';
import { addTestBot } from '../../../../test/support/test-bot.ts';
import { Certifier } from './certifier.ts';

// Days of which a bot ran some hours only, held a trade of before, or was given trades that it did not make.

const { db } = await freshDatabase();
const day = new Date(Date.now() - dayMs).toISOString().slice(0, 10);
const midnight = Date.parse(`${day}T00:00:00Z`);
const market = await startMarket(1);
const certifier = new Certifier({ db, markets: market.connect(), disk: ampleDisk, now: market.now, log: () => {} });
afterAll(() => certifier.close());

const at = (hour: number): number => midnight + hour * hourMs;
/** What a bot that always wants to hold has decided on the candles of hours. */
const decide = (botId: string, symbol: string, hours: readonly number[]) =>
  addDecisions(
    db,
    hours.map((hour) =>
      aDecision(botId, at(hour), {
        symbol,
        seen: { enterLong: true, exitLong: false, enterShort: false, exitShort: false },
        decidedAt: at(hour + 1) + 1_000,
      }),
    ),
  );

async function certified(botId: string): Promise<CertificateFacts['certificate']> {
  const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow();
  await askCertificate(db, botId, day, userId);
  await certifier.work();
  const kept = await findCertificate(db, botId, day);
  expect([kept?.state, kept?.why]).toEqual(['done', null]);
  return (kept!.certificate as unknown as CertificateFacts).certificate;
}

// It leaves two hours after each entry: many short trades.
const busy = { strategy: 'BuyAndHold', timeframe: '1h', minimalRoi: { 0: 10, 60: -1 } };

test('a bot that ran from ten to two is promised the trades of these hours, and none of the morning or the evening', async () => {
  const botId = await addTestBot(db, busy);
  await decide(botId, 'BTC/USDT', [10, 11, 12, 13]);
  const promised = (await certified(botId)).trades.filter((trade) => trade.promised !== null).map(({ entryTime }) => entryTime);
  expect(promised.length).toBeGreaterThan(1);
  expect(promised.at(0)).toBe(at(11));
  expect(promised.at(-1)).toBeLessThanOrEqual(at(14));
});

test('a trade that was imported is no deed of the bot', async () => {
  const botId = await addTestBot(db, busy);
  await decide(botId, 'BTC/USDT', [10, 11]);
  const [openTime, closeTime] = [at(10.5), at(12)];
  const trade = aTradeRow(botId, {
    symbol: 'BTC/USDT',
    status: 'closed',
    openedAt: new Date(openTime),
    closedAt: new Date(closeTime),
    exitPrice: 110,
    profit: '10',
    engineState: JSON.stringify(toStoredTrade(held({ symbol: 'BTC/USDT', marketType: 'spot', openTime, closeTime, price: 100 }))),
  });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  await sql`update trades set imported_from = 'freqtrade' where id = ${trade.id}`.execute(db);
  const { made, trades } = await certified(botId);
  expect([made, trades.filter((each) => each.made !== null)]).toEqual(['0', []]);
});

test('a perpetual that was held for days and sold brings the funding of the day, not that of the days before', async () => {
  const symbol = 'BTC/USDT:USDT';
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', timeframe: '1h', marketType: 'futures', symbols: [symbol] });
  await decide(botId, symbol, [11]);
  const perpetuals = await market.connect().market('sandbox', 'futures');
  const [first] = await perpetuals.candles(symbol, '1h', midnight, at(1));
  const price = first?.open ?? 0;
  const [openTime, closeTime] = [midnight - 3 * dayMs + hourMs, at(12)];
  const events = await perpetuals.funding(symbol, openTime + 1, closeTime);
  const trade = held({ symbol, marketType: 'futures', openTime, closeTime, price });
  const paid = (from: number) =>
    events.filter(({ time }) => time >= from).reduce((sum, event) => sum + paymentOf(trade, event, trade.amount), 0);
  const exit = trade.orders.at(-1);
  if (exit !== undefined) exit.fundingFee = paid(openTime);
  expect(Math.abs(paid(openTime) - paid(midnight))).toBeGreaterThan(0.01);
  const row = aTradeRow(botId, {
    symbol,
    status: 'closed',
    openedAt: new Date(openTime),
    closedAt: new Date(closeTime),
    exitPrice: price,
    profit: '0',
    engineState: JSON.stringify(toStoredTrade(trade)),
  });
  await writeTrades(db, [{ trade: row, orders: [], fills: [] }]);
  const made = (await certified(botId)).trades.find(({ isCarried }) => isCarried)?.made;
  expect(Number(made)).toBeCloseTo(paid(midnight), 6); // sold for what it was worth at midnight
});

/** A long trade of one coin that was bought and sold at a price, without fees. */
function held(of: { symbol: string; marketType: 'spot' | 'futures'; openTime: number; closeTime: number; price: number }) {
  const { price, openTime, closeTime } = of;
  const filled = (purpose: 'entry' | 'exit', time: number) => {
    const order = anOrder({
      id: purpose,
      purpose,
      side: purpose === 'entry' ? 'buy' : 'sell',
      price,
      amount: 1,
      createdTime: time,
      candleTime: Math.floor(time / hourMs) * hourMs - hourMs,
      state: 'filled',
      reported: 1,
    });
    addFill(order, aFill({ id: purpose, time, price, amount: 1, fee: 0, feeInQuote: 0 }), of.symbol);
    return order;
  };
  return aTrade({
    symbol: of.symbol,
    marketType: of.marketType,
    openTime,
    closeTime,
    isOpen: false,
    exitReason: 'exit_signal',
    orders: [filled('entry', openTime), filled('exit', closeTime)],
    amount: 1,
    openRate: price,
    openValue: price,
    closeRate: price,
    profit: 0,
    profitRatio: 0,
  });
}
