import { CandleWindows } from '#feeds/candle-windows.ts';
import type { Markets } from '#feeds/markets.ts';
import { hourMs } from '#engine/market/durations.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { listDifferences } from '#storage/differences/found-differences.ts';
import { askHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import { writeFact } from '#storage/installation/facts.ts';
import { askByHand } from '#storage/trades/manual-actions.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectMarkets } from '../../../test/support/connect-markets.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { liveBots } from '../../../test/support/live-bots.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { patiently } from '../../../test/support/patiently.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { Runner } from '../runner.ts';
import { startRunner } from '../runner.ts';

const fundingMs = 8 * hourMs;
const { db } = await freshDatabase();
// It is four hours to the next funding.
const startTime = Math.floor(Date.now() / fundingMs) * fundingMs - fundingMs / 2;
const sandbox = await startSandbox({ factor: 1, startTime, controlPort: 0 });
const now = (): number => sandbox.clock.now();
const patience = { timeout: 3 * patienceMs, interval: 200 }; // seven bots at once
const bots = liveBots({ sandboxUrl: sandbox.url, now });
const opened: Markets[] = [];
let runner: Runner | null = null;

async function run(): Promise<void> {
  const markets = connectMarkets(sandbox.url, now);
  opened.push(markets);
  const windows = new CandleWindows(markets, { now });
  const times = { scan: 50, heartbeat: 500, lease: patienceMs, vitals: 300 };
  runner = await startRunner({ db, markets, windows, openTrading: bots.openTrading, host: 'test', now, log: () => {} }, times);
}
async function stop(): Promise<void> {
  await runner?.stop();
  runner = null;
}

async function setPrice(coin: string, price: number, depth?: number): Promise<void> {
  const body = JSON.stringify({ pair: `${coin}USDT`, bid: price, ask: price, depth });
  const answer = await fetch(`http://127.0.0.1:${sandbox.controlPort}/prices`, { method: 'POST', body });
  expect(answer.status).toBe(200);
}

/** Bots of one account that hold a perpetual together, which costs 100, with a tenth of its value as margin. */
async function holding(coin: string, direction: 'long' | 'short', count: number) {
  const symbol = `${coin}/USDT:USDT`;
  // It makes no entries by itself, and lets a person sell short.
  const given = {
    strategy: 'EmaCross',
    timeframe: '1d',
    orderType: 'market',
    marketType: 'futures',
    symbols: [symbol],
    leverage: 10,
    stakeAmount: 150,
    minimalRoi: { 0: 10 },
    stoploss: -0.4,
  } as const;
  const { id, apiKeyId } = await bots.add(db, { ...given, symbols: [symbol] });
  const ids = [id];
  while (ids.length < count) {
    const other = await addTestBot(db, { ...given, symbols: [symbol], nickname: 'other' });
    await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${other}`.execute(db);
    ids.push(other);
  }
  const account = await patiently(() => bots.openTrading({ apiKeyId, exchangeId: 'sandbox', marketType: 'futures' }));
  const wallet = async () => (await account.balances()).reduce((sum, { free, locked }) => sum + free + locked, 0);
  const before = await wallet();
  const standing = async () => (await account.openOrders()).filter(({ type }) => type === 'stop');
  const enter = async () => {
    for (const [i, botId] of ids.entries()) {
      const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow();
      const wish = { kind: 'enter', direction, stake: 60 + 37 * i, stopPrice: null } as const;
      await askByHand(db, { botId, mode: 'testnet', symbol, askedBy: userId, ...wish });
      // It does not come too late, however slow the machine is.
      await sql`update manual_actions set expires_at = now() + interval '1 hour' where bot_id = ${botId}`.execute(db);
      await vi.waitFor(async () => expect((await standing()).length).toBe(i + 1), patience);
    }
  };
  const gained = async () => (await wallet()) - before;
  const trades = () => db.selectFrom('trades').selectAll().where('botId', 'in', ids).execute();
  const isGone = async (tradeId: string, amount: number) =>
    await db.transaction().execute(async (trx) => expect(await askHeldElsewhere(trx, tradeId, amount, new Date())).toBe(true));
  /** The account lacks all of each trade, and people say that the exchange has sold it; in two parts. */
  const adopt = async () => {
    const difference = async () => (await listDifferences(db, null)).open.find(({ botId }) => ids.includes(botId));
    await vi.waitFor(async () => expect((await difference())?.actual).toBe(0), patience);
    for (const { id: tradeId, amount } of await trades()) {
      const left = async () => await trades().then((rows) => rows.find(({ id }) => id === tradeId));
      await isGone(tradeId, 2);
      await vi.waitFor(async () => expect(Number((await left())?.amount)).toBeLessThan(Number(amount)), patience);
      await isGone(tradeId, Number((await left())?.amount));
      await vi.waitFor(async () => expect((await left())?.status).toBe('closed'), patience);
    }
  };
  return { account, symbol, enter, standing, gained, trades, adopt };
}

// All of it at once: from the entry to the correction a trade takes a good while.
const cases = [
  { what: 'an ordinary one of a long', coin: 'LTC', direction: 'long', count: 1, price: 90.3 },
  { what: 'an ordinary one of a short', coin: 'BCH', direction: 'short', count: 1, price: 109.7 },
  { what: 'one of a long of two bots, by a gap beyond the margin', coin: 'SOL', direction: 'long', count: 2, price: 70 },
  { what: 'one of a short, by a gap beyond the margin', coin: 'AAVE', direction: 'short', count: 1, price: 130 },
  { what: 'one in pieces', coin: 'LINK', direction: 'long', count: 2, price: 80, depth: 5 },
] as const;
const liquidated: ((typeof cases)[number] & Awaited<ReturnType<typeof holding>>)[] = [];
for (const each of cases) {
  await setPrice(each.coin, 100);
  liquidated.push({ ...each, ...(await holding(each.coin, each.direction, each.count)) });
}
beforeAll(async () => {
  await run();
  await Promise.all(liquidated.map(({ enter }) => enter()));
  await stop();
  for (const { coin, account, symbol, standing, ...moved } of liquidated) {
    for (const { clientOrderId } of await standing()) await account.cancel(symbol, clientOrderId);
    await setPrice(coin, moved.price, 'depth' in moved ? moved.depth : undefined);
    await vi.waitFor(async () => expect(await account.positions()).toEqual([]), patience);
    await setPrice(coin, moved.price);
  }
  await writeFact(db, 'restored_at', new Date().toISOString());
  await run();
  await Promise.all(liquidated.map(({ adopt }) => adopt()));
  await stop();
}, 10 * patienceMs);
afterAll(async () => {
  await Promise.all(liquidated.map(({ account }) => account.close()));
  await Promise.all(opened.map((markets) => markets.close()));
  await sandbox.close();
});

test.each(liquidated)('what a liquidation has cost is what the trades count: $what', async ({ account, symbol, trades, gained, price }) => {
  const cleared = (await account.clearances(symbol, 0)).reduce((sum, { amount }) => sum + amount, 0);
  expect(cleared > 0).toBe(Math.abs(price - 100) > 10); // beyond the margin it comes back
  const counted = (await trades()).reduce((sum, { profit }) => sum + Number(profit), 0);
  expect(counted).toBeCloseTo(await gained(), 8);
});
