import { setTimeout as sleep } from 'node:timers/promises';
import { minuteMs } from '#engine/market/durations.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { liveBots } from '../../../test/support/live-bots.ts';
import { patiently } from '../../../test/support/patiently.ts';
import { startMarket } from '../../../test/support/market.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import type { Runner } from '../runner.ts';
import { startRunner } from '../runner.ts';

const { db } = await freshDatabase();
const paidAt = Date.UTC(2026, 4, 20, 8);
// A candle closes a few seconds after the market has opened; time runs as fast as the machine's.
const market = await startMarket(1, 7, paidAt - 3 * minuteMs - 6_000);
const patience = { interval: 100 };
const bots = liveBots({ sandboxUrl: market.sandbox.url, now: market.now });
let runner: Runner | null = null;
let opened = 0; // connections to accounts

async function run(): Promise<void> {
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const openTrading: typeof bots.openTrading = async (account) => {
    opened += 1;
    return await bots.openTrading(account);
  };
  const times = { scan: 50, heartbeat: 500, lease: patienceMs, vitals: 200 };
  runner = await startRunner({ db, markets, windows, openTrading, host: 'test', now: market.now, log: () => undefined }, times);
}

async function stop(): Promise<void> {
  await runner?.stop();
  runner = null;
}
afterEach(stop);

const moneyOf = async (trading: Trading): Promise<number> => {
  const usdt = (await trading.balances()).find(({ currency }) => currency === 'USDT');
  return (usdt?.free ?? 0) + (usdt?.locked ?? 0);
};

test.each([
  ['by the runner that has closed it', false],
  ['by another runner', true],
])(
  'OP-84 a live trade has the funding that its account has paid, although it is published after its end, and found %s',
  async (_, isRestarted) => {
    const symbol = isRestarted ? 'ETH/USDT:USDT' : 'BTC/USDT:USDT';
    const { id, apiKeyId } = await bots.add(db, {
      strategy: 'BuyAndHold',
      nickname: symbol,
      owner: `${isRestarted}@example.com`,
      marketType: 'futures',
      leverage: 3,
      symbols: [symbol],
      stakeAmount: 100,
      minimalRoi: { 0: 10 },
      stoploss: -0.5,
      orderType: 'market',
    });
    const account = await patiently(() => bots.openTrading({ apiKeyId, exchangeId: 'sandbox', marketType: 'futures' }));
    onTestFinished(() => account.close());
    const before = await moneyOf(account);
    const books = async () => {
      const { rows } = await sql<{ status: string; profit: number; funding: number; figures: number }>`
      select t.status, t.profit::float8 as profit, t.funding::float8 as funding, f.realized_pnl::float8 as figures
      from trades t left join bot_figures f using (bot_id) where t.bot_id = ${id} and t.entry_price is not null`.execute(db);
      return rows[0];
    };
    const nextPayment = Math.ceil(market.now() / (8 * 60 * minuteMs)) * 8 * 60 * minuteMs;
    market.sandbox.faults.add({ fault: { kind: 'body', status: 200, body: '[]' }, path: '/fapi/v1/fundingRate' });
    market.sandbox.clock.advance(nextPayment - 2 * minuteMs - 6_000 - market.now());
    await run();
    await expect.poll(async () => (await books())?.status, patience).toBe('open');
    market.sandbox.clock.advance(nextPayment + 2_000 - market.now());
    await setBotStatus(db, id, 'stopped');
    await expect.poll(async () => (await books())?.status, patience).toBe('closed');
    const closed = await books();
    const paid = (await moneyOf(account)) - before - (closed?.profit ?? 0);
    expect(Math.abs(paid)).toBeGreaterThan(0.0001);
    expect(closed).toMatchObject({ funding: 0, figures: closed?.profit });

    const openedBefore = opened;
    if (isRestarted) await stop();
    market.sandbox.faults.clear();
    market.sandbox.clock.advance(nextPayment + minuteMs - market.now());
    if (isRestarted) await run();
    await expect.poll(async () => (await books())?.funding, patience).toBeCloseTo(paid, 6);
    const corrected = await books();
    expect(await moneyOf(account)).toBeCloseTo(before + (corrected?.profit ?? 0), 6);
    expect(corrected?.figures).toBe(corrected?.profit);
    expect(opened).toBe(openedBefore); // for a stopped bot no order can come

    await stop();
    await run();
    market.sandbox.clock.advance(30 * minuteMs);
    await expect.poll(async () => (await sql`select 1 from runners where expires_at > now()`.execute(db)).rows.length, patience).toBe(1);
    await sleep(1_500);
    expect(await books()).toEqual(corrected);
  },
);
