import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { startMarket } from '../../../test/support/market.ts';
import { report, runSize } from '../../../test/support/run-size.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { waitForEntries } from '#storage/trading/trading-lock.ts';
import { lockSwitch, setSwitch } from '#storage/trading/trading-states.ts';
import { startRunner } from '../runner.ts';

// npm run torture stops

const { size: presses } = runSize(50);
const { db } = await freshDatabase();
const market = await startMarket(120);
const markets = market.connect();
const windows = new CandleWindows(markets, { now: market.now });
const times = { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 300 };
const runner = await startRunner({ db, markets, windows, host: 'test', now: market.now, log: () => {} }, times);
afterAll(() => runner.stop());

const set = (state: 'active' | 'reducing' | 'halted'): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await lockSwitch(trx, { level: 'server' });
    await setSwitch(trx, { level: 'server' }, { state, setBy: null, isImposed: false });
  });

/** How many entry orders there are, and fills of them. */
async function entries(): Promise<{ orders: number; fills: number }> {
  const orders = await db.selectFrom('orders').select('id').where('purpose', '=', 'entry').execute();
  const fills = await db
    .selectFrom('fills as f')
    .innerJoin('orders as o', 'o.id', 'f.orderId')
    .select('f.id')
    .where('o.purpose', '=', 'entry')
    .execute();
  return { orders: orders.length, fills: fills.length };
}

test(
  `OP-27 stopped at ${presses} random moments beside trading bots: no entry is made or filled after the answer, and exits continue`,
  { timeout: 600_000 + presses * 10_000 },
  async () => {
    const busy = { strategy: 'BuyAndHold', stakeAmount: 50, maxOpenTrades: 4, symbols: ['BTC/USDT', 'ETH/USDT', 'XRP/USDT', 'SOL/USDT'] };
    await addTestBot(db, { ...busy, nickname: 'market orders', minimalRoi: { 0: 10, 1: -1 }, orderType: 'market' });
    await addTestBot(db, { ...busy, nickname: 'limit orders', minimalRoi: { 0: 10, 1: -1 }, owner: 'second@example.com' });
    let slowest = 0;
    let lastEntries = (await entries()).orders;
    let entered = 0;
    for (let press = 1; press <= presses; press++) {
      // Bots have traded since the last stop, so that there is something to stop.
      await expect.poll(async () => (await entries()).orders, { interval: 10 }).toBeGreaterThan(lastEntries);
      await sleep(Math.random() * 300);
      const pressedAt = performance.now();
      await set(press % 2 === 0 ? 'halted' : 'reducing');
      await waitForEntries(db);
      slowest = Math.max(slowest, performance.now() - pressedAt);
      const atAnswer = await entries();
      entered += atAnswer.orders - lastEntries;
      await sleep(Math.random() * 400);
      expect(await entries(), `after press ${press}`).toEqual(atAnswer);
      lastEntries = atAnswer.orders;
      await set('active');
    }
    // With entries stopped, open trades still come to their exit.
    await set('reducing');
    await expect.poll(() => db.selectFrom('trades').select('id').where('status', '=', 'open').execute(), { interval: 50 }).toEqual([]);
    report(`stops: ${presses} presses, ${entered} entries between them, slowest answer ${Math.round(slowest)} ms`);
    expect(entered).toBeGreaterThanOrEqual(presses);
  },
);
