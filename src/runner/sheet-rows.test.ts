import { CandleWindows } from '#feeds/candle-windows.ts';
import { googleSpreadsheets } from '#outbound/google/spreadsheets.ts';
import { sheetSender } from '#processes/message-senders.ts';
import { sendDueMessages } from '#processes/send-trade-messages.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { strategySecrets } from '#vault/strategy-secrets.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { aSheetId, openGoogle } from '../../test/support/google.ts';
import { startMarket } from '../../test/support/market.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { startRunner } from './runner.ts';

const { db } = await freshDatabase();
const google = await openGoogle();
const market = await startMarket(120); // a minute is half a second here

test('OP-58 each trade of a running bot is two rows of the spreadsheet, with the figures that the database has', async () => {
  const secrets = strategySecrets(Buffer.alloc(32, 9));
  const nickname = '=HYPERLINK("https://evil.example","Quiet")';
  const id = await addTestBot(db, {
    strategy: 'BuyAndHold',
    nickname,
    minimalRoi: { 0: 10, 2: -1 }, // it leaves after two minutes
    symbols: ['BTC/USDT', 'ETH/USDT'],
    orderType: 'market',
  });
  const { strategyId } = await db.selectFrom('bots').select('strategyId').where('id', '=', id).executeTakeFirstOrThrow();
  const sealed = JSON.stringify(secrets.seal(strategyId, 'sheets_key', aSheetId));
  await db.updateTable('strategies').set({ sheetsKey: sealed }).where('id', '=', strategyId).execute();
  const markets = market.connect();
  const runner = await startRunner(
    { db, markets, windows: new CandleWindows(markets, { now: market.now }), host: 'test', now: market.now, log: () => {} },
    { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 300 },
  );
  const trades = () =>
    sql<{ symbol: string; direction: string; status: string; entry: string; exit: string | null; profit: string | null }>`
      select symbol, direction, status, entry_price::text as entry, exit_price::text as exit, profit::text, opened_at, closed_at from trades
      where bot_id = ${id} order by id`.execute(db);
  const count = async (status: string) => (await trades()).rows.filter((trade) => trade.status === status).length;
  const patience = { interval: 100 };
  await expect.poll(() => count('closed'), patience).toBeGreaterThanOrEqual(4);
  await setBotStatus(db, id, 'paused');
  await expect.poll(() => count('open'), patience).toBe(0);
  await runner.stop();

  const sheets = googleSpreadsheets(google.account, () => new Date(), google.reach);
  const onFault = ({ fault }: { fault: string }): never => {
    throw new Error(fault);
  };
  const send = () => sendDueMessages({ db, sender: sheetSender(secrets, sheets), now: () => new Date(), onFault });
  for (let round = 0; round < 10; round++) await send();
  const rows = google.sheet(aSheetId);
  const { rows: stored } = await trades();
  const closed = stored.filter(({ status }) => status === 'closed');
  expect(rows).toHaveLength(2 * closed.length);
  const named = (event: string) => rows.filter((row) => String(row.at(-1)).endsWith(`-${event}`));
  const sorted = (values: unknown[][]) => values.map((row) => JSON.stringify(row)).toSorted();
  expect(sorted(named('closed').map((row) => row.slice(1, 7)))).toEqual(
    sorted(closed.map((trade) => [nickname, trade.symbol, trade.direction, Number(trade.entry), Number(trade.exit), Number(trade.profit)])),
  );
  expect(sorted(named('opened').map((row) => row.slice(1, 7)))).toEqual(
    sorted(closed.map((trade) => [nickname, trade.symbol, trade.direction, Number(trade.entry), '', ''])),
  );
  expect(new Set(rows.map((row) => row.at(-1))).size).toBe(rows.length);
  for (const row of rows) expect(new Date(String(row[0])).toISOString()).toBe(row[0]);
});
