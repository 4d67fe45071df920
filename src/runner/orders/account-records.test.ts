import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { serverStartedAt } from '../../../test/support/server-started.ts';
import { databaseRecords } from './account-records.ts';
import type { UnrecordedOrder } from './unrecorded-orders.ts';

const { db, url } = await freshDatabase();

/** What `start` says of a server that was started so many ms ago, whenever it is asked. */
async function startOf(msAgo: number): Promise<string> {
  const there = await serverStartedAt(db, url, `clock_timestamp() - interval '${msAgo} ms'`);
  return await databaseRecords(there, { apiKeyId: '7d0b4f5a-0000-4000-8000-000000000001', marketType: 'spot' }).start();
}

test('OP-85 a search that begins while an order of before a start of the server may still arrive does not count for the next', async () => {
  // Its request expires after two seconds at most, and the clock of the exchange may be a second off.
  expect(await startOf(2_990)).toBe('');
});

test('OP-85 one that begins later does, and so does each where the clock was set back to before the start', async () => {
  expect(await startOf(5_000)).not.toBe('');
  expect(await startOf(-3_600_000)).not.toBe('');
});

describe('what an order without a record has brought', () => {
  /** What is noted of a purchase and a sale of ten coins each, the fees of both in this currency. */
  async function netOf(symbol: string, marketType: 'spot' | 'futures', feeCurrency: string, fee: number) {
    const botId = await addTestBot(db, { strategy: 'RsiReversal', marketType, symbols: [symbol] });
    const apiKeyId = await goLive(db, botId);
    const records = databaseRecords(db, { apiKeyId, marketType });
    const order = (side: 'buy' | 'sell'): UnrecordedOrder => {
      const clientOrderId = `fl-${botId}-${side}`;
      const of = { clientOrderId, symbol, side };
      const fill = {
        ...of,
        id: side,
        price: 600,
        amount: 10,
        fee,
        feeCurrency,
        feeInQuote: fee * 600,
        liquidity: 'taker' as const,
        time: 1,
      };
      const what = { type: 'market' as const, state: 'filled' as const, requested: 10, filled: 10, price: null, stopPrice: null };
      return { botId, order: { ...of, ...what, exchangeOrderId: side, createdTime: 1 }, fills: [fill] };
    };
    await records.note([order('buy'), order('sell')], false);
    const { rows } = await sql<{ net: string }>`
      select trim_scale(net)::text as net from unrecorded_orders where bot_id = ${botId} order by side`.execute(db);
    return rows.map(({ net }) => net);
  }

  test('on spot is less by the fees that were taken in its coins', async () => {
    expect(await netOf('SOL/USDT', 'spot', 'SOL', 0.01)).toEqual(['9.99', '-10.01']);
    expect(await netOf('SOL/USDT', 'spot', 'BNB', 0.01)).toEqual(['10', '-10']);
  });

  test('of a perpetual is all of it, also of one of BNB whose fees are paid in BNB', async () => {
    expect(await netOf('BNB/USDT:USDT', 'futures', 'BNB', 0.0045)).toEqual(['10', '-10']);
  });
});
