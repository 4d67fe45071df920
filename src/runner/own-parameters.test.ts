import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import { toColumns } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { OwnSettings } from '#engine/settings/own-settings.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { readBot } from '#storage/bots/running-bots.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { startMarket } from '../../test/support/market.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { settingsOf, valuesOf } from './bots/bot-settings.ts';
import { startRunner } from './runner.ts';
import { patienceMs } from '../../test/support/patience.ts';

const { db } = await freshDatabase();
// A minute of market is a second here.
const market = await startMarket(60);
const markets = market.connect();
const windows = new CandleWindows(markets, { now: market.now });
const runner = await startRunner(
  { db, markets, windows, host: 'test', now: market.now, log: () => {} },
  { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 300 },
);
afterAll(async () => {
  await runner.stop();
  windows.close();
});

const strategy = strategyOfClass('SuperTrendFollower');
const symbol = 'BTC/USDT';
const flags = ['enterLong', 'exitLong'] as const;
const own: OwnSettings = { parameters: { period: 7, factor: 1.5 }, stoploss: -0.006, orderTypes: { entry: 'market', exit: 'market' } };
const decisionsOf = (botId: string) =>
  db.selectFrom('decisions').select(['candleTime', 'action', 'seen']).where('botId', '=', botId).orderBy('candleTime').execute();
/** Whether two bots have seen other flags on a candle that both have decided: else nothing is compared. */
async function seeOtherFlags(one: string, other: string): Promise<boolean> {
  const textOf = ({ seen }: { seen: Record<string, unknown> }): string => flags.map((flag) => String(seen[flag])).join();
  const known = new Map((await decisionsOf(one)).map((decision) => [decision.candleTime.getTime(), textOf(decision)]));
  return (await decisionsOf(other)).some((decision) => (known.get(decision.candleTime.getTime()) ?? textOf(decision)) !== textOf(decision));
}
const tradesOf = (botId: string) => db.selectFrom('trades').selectAll().where('botId', '=', botId).orderBy('openedAt').execute();

/** What a backtest of the bot's settings comes to on the candles that the bot has decided. */
async function backtestOf(botId: string) {
  const stored = await readBot(db, botId);
  if (stored === null) throw new Error('The bot is gone');
  const values = valuesOf(stored.bot, stored.strategy, strategy);
  const decisions = await decisionsOf(botId);
  const from = decisions[0]?.candleTime.getTime() ?? 0;
  const to = (decisions.at(-1)?.candleTime.getTime() ?? 0) + minuteMs;
  const data = await markets.market('sandbox', 'spot');
  const instrument = await data.instrument(symbol);
  if (instrument === null) throw new Error('The sandbox has no BTC/USDT');
  const candles = toColumns(await data.candles(symbol, '1m', from - strategy.startupCandles * minuteMs, to));
  const { computed, trades } = backtestStrategy({
    strategy,
    parameters: values.parameters,
    settings: settingsOf(stored.bot, values, strategy),
    timeframe: '1m',
    pairs: [{ instrument, candles, funding: null }],
    range: { from, to },
  });
  const { signals, candles: seen } = computed[0];
  const rows = decisions.map(({ candleTime }) => {
    const at = seen.openTime.indexOf(candleTime.getTime());
    return flags.map((flag) => signals[flag][at] === 1);
  });
  return { rows, decisions, trades };
}

test('OP-32 a paper bot sees, enters and stops by its own parameters and stop, as a backtest of its settings does; its neighbour by the strategy’s', async () => {
  const named = { strategy: 'SuperTrendFollower', symbols: [symbol] };
  const inherits = await addTestBot(db, { ...named, nickname: 'inherits' });
  const sets = await addTestBot(db, { ...named, nickname: 'sets', ownSettings: own });
  // A backtest enters at the open of the next candle: those after the entry must have been decided too.
  const isPast = async (time: number) => ((await decisionsOf(sets)).at(-1)?.candleTime.getTime() ?? 0) > time + 2 * minuteMs;
  const hasTraded = async () => {
    const [first] = await tradesOf(sets);
    return first !== undefined && (await isPast(first.openedAt.getTime())) && (await seeOtherFlags(inherits, sets));
  };
  await expect.poll(hasTraded, { timeout: 2 * patienceMs, interval: 200 }).toBe(true);
  const all = [];
  for (const id of [inherits, sets]) {
    const { rows, decisions, trades } = await backtestOf(id);
    expect(decisions.map(({ seen }) => flags.map((flag) => seen[flag]))).toEqual(rows);
    all.push({ decisions, trades });
  }
  const [, ownOne] = all;
  // The first trade: the candle, the tag and the distance of the stop are those of the backtest.
  const [trade] = await tradesOf(sets);
  const [tested] = ownOne?.trades ?? [];
  const entered = ownOne?.decisions.find(({ action }) => action === 'enter')?.candleTime.getTime();
  expect(tested?.openTime).toBe((entered ?? 0) + minuteMs);
  expect(tested?.enterTag).toBe(trade?.entryTag);
  expect(Number(trade?.initialStopPrice) / Number(trade?.entryPrice)).toBeCloseTo(0.994, 4);
  expect((tested?.initialStop ?? 0) / (tested?.openRate ?? 1)).toBeCloseTo(0.994, 4);
});
