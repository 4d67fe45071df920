import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import { toColumns } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { compare, indicator, parameter, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import type { OwnSettings } from '#engine/settings/own-settings.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { botSettingsOf, changeBotSettings } from '#storage/bots/bot-settings.ts';
import { findBot } from '#storage/bots/bots.ts';
import { readBot } from '#storage/bots/running-bots.ts';
import { strategyOfRules } from '#strategies/strategy-of-rules.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { startMarket } from '../../test/support/market.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { addTestRules, saveTestRules } from '../../test/support/test-rules.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { settingsOf, valuesOf } from './bots/bot-settings.ts';
import type { Runner } from './runner.ts';
import { startRunner } from './runner.ts';

const { db } = await freshDatabase();
// A minute of market is a second here.
const market = await startMarket(60);
const markets = market.connect();
const windows = new CandleWindows(markets, { now: market.now });
const runners: Runner[] = [];
async function startOne(): Promise<void> {
  const dependencies = { db, markets, windows, host: 'test', now: market.now, log: () => {} };
  runners.push(await startRunner(dependencies, { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 300 }));
}
const stopAll = async () => void (await Promise.all(runners.splice(0).map((each) => each.stop())));
afterAll(async () => {
  await stopAll();
  windows.close();
});

const [symbol, other] = ['BTC/USDT', 'ETH/USDT'];
const flags = ['enterLong', 'exitLong'] as const;
const close = price('close');

/** Enters where the other pair has risen over some candles, and leaves where it has fallen. */
const followsOther: RulesDocument = {
  ...emaCross,
  title: 'Follows ETH',
  defaults: { ...emaCross.defaults, timeframe: '1m', minimalRoi: {}, stoploss: -0.2 },
  parameters: { back: { default: 1, min: 1, max: 20, step: 1, unit: 'candles', meaning: '' } },
  enterLong: [
    { tag: 'rose', when: compare({ ...close, symbol: other }, 'above', { ...close, symbol: other, candlesBack: parameter('back') }) },
  ],
  exitLong: [
    { tag: 'fell', when: compare({ ...close, symbol: other }, 'below', { ...close, symbol: other, candlesBack: parameter('back') }) },
  ],
  enterShort: [],
  exitShort: [],
};

/** A bot that runs a version of rules. */
async function botOn(code: { strategyId: string; codeId: string }, nickname: string, ownSettings: OwnSettings = {}): Promise<string> {
  const id = await addTestBot(db, {
    strategy: 'AlwaysFlat',
    nickname,
    symbols: [symbol],
    status: 'paused',
    ownSettings: { orderTypes: { entry: 'market', exit: 'market' }, ...ownSettings },
  });
  await sql`update bots set strategy_id = ${code.strategyId}, code_id = ${code.codeId}, status = 'active' where id = ${id}`.execute(db);
  return id;
}
const decisionsOf = (botId: string) =>
  db.selectFrom('decisions').select(['candleTime', 'seen']).where('botId', '=', botId).orderBy('candleTime').execute();
type Decisions = Awaited<ReturnType<typeof decisionsOf>>;
const flagsOf = ({ seen }: Decisions[number]): boolean[] => flags.map((flag) => seen[flag] === true);
/** Whether two bots have seen something else in the same candle. */
function differ(some: Decisions, others: Decisions): boolean {
  const rows = new Map(some.map((decision) => [decision.candleTime.getTime(), String(flagsOf(decision))]));
  return others.some((decision) => (rows.get(decision.candleTime.getTime()) ?? String(flagsOf(decision))) !== String(flagsOf(decision)));
}
const tradesOf = (botId: string) => db.selectFrom('trades').selectAll().where('botId', '=', botId).orderBy('openedAt').execute();
const lastErrorOf = async (botId: string) =>
  (await db.selectFrom('botVitals').select('lastError').where('botId', '=', botId).executeTakeFirst())?.lastError;
const often = { interval: 100 };

/** What a backtest of the bot's settings comes to on the candles of these decisions. */
async function backtestOf(botId: string, decisions: Decisions) {
  const stored = await readBot(db, botId);
  if (stored === null || stored.code === null) throw new Error('The bot is gone');
  const strategy = strategyOfRules(stored.code, '1m');
  const values = valuesOf(stored.bot, stored.strategy, strategy);
  const from = decisions[0]?.candleTime.getTime() ?? 0;
  const to = (decisions.at(-1)?.candleTime.getTime() ?? 0) + minuteMs;
  const data = await markets.market('sandbox', 'spot');
  const instrument = await data.instrument(symbol);
  if (instrument === null) throw new Error('The sandbox has no BTC/USDT');
  const candlesOf = async (of: string) => toColumns(await data.candles(of, '1m', from - strategy.startupCandles * minuteMs, to));
  const { computed } = backtestStrategy({
    strategy,
    parameters: values.parameters,
    settings: settingsOf(stored.bot, values, strategy),
    timeframe: '1m',
    pairs: [{ instrument, candles: await candlesOf(symbol), funding: null }],
    others: { [other]: await candlesOf(other) },
    range: { from, to },
  });
  const { signals, candles } = computed[0];
  return decisions.map(({ candleTime }) => flags.map((flag) => signals[flag][candles.openTime.indexOf(candleTime.getTime())] === 1));
}

test('paper bots of rules that read another pair see what a backtest of their settings sees, each with its own parameters, also after a restart', async () => {
  await startOne();
  const code = await addTestRules(db, followsOther);
  const inherits = await botOn(code, 'inherits');
  const sets = await botOn(code, 'sets', { parameters: { back: 12 } });
  const count = async () => Math.min((await decisionsOf(inherits)).length, (await decisionsOf(sets)).length);
  await expect.poll(count, often).toBeGreaterThan(8);
  await stopAll();
  const before = await count();
  await startOne();
  await expect.poll(count, often).toBeGreaterThan(before + 8);
  await expect.poll(async () => (await tradesOf(inherits)).length, often).toBeGreaterThan(0);
  await expect.poll(async () => differ(await decisionsOf(inherits), await decisionsOf(sets)), often).toBe(true); // else nothing is compared
  for (const id of [inherits, sets]) {
    const decisions = await decisionsOf(id);
    expect(decisions.map(flagsOf)).toEqual(await backtestOf(id, decisions));
    expect(new Set(decisions.map(({ candleTime }) => candleTime.getTime())).size).toBe(decisions.length); // each candle is decided once
  }
  expect((await tradesOf(inherits))[0]?.entryTag).toBe('rose');
});

test('a bot decides by the version it names until it takes another one, and its open trade stays', async () => {
  const holds: RulesDocument = {
    ...followsOther,
    title: 'Holds',
    enterLong: [{ tag: 'first', when: compare(close, 'above', { kind: 'number', value: 1 }) }],
    exitLong: [],
  };
  const code = await addTestRules(db, holds);
  const id = await botOn(code, 'holds');
  await expect.poll(async () => (await tradesOf(id)).length, often).toBe(1);
  const newer = await saveTestRules(db, code.strategyId, {
    ...holds,
    enterLong: [{ tag: 'second', when: compare(close, 'below', { kind: 'number', value: 1 }) }], // an entry in the same candle would win
    exitLong: [{ tag: 'out', when: compare(close, 'above', { kind: 'number', value: 1 }) }],
  });
  const decided = (await decisionsOf(id)).length;
  await expect.poll(async () => (await decisionsOf(id)).length, often).toBeGreaterThan(decided + 2);
  expect(await tradesOf(id)).toMatchObject([{ status: 'open', entryTag: 'first' }]); // a save reaches no bot
  await db.transaction().execute(async (trx) => {
    const bot = (await findBot(trx, id))!;
    await changeBotSettings(trx, bot, botSettingsOf(bot), bot.userId, new Date(market.now()), { code: newer });
  });
  await expect.poll(async () => (await tradesOf(id))[0]?.exitReason, often).toBe('out');
  expect((await tradesOf(id))[0]).toMatchObject({ entryTag: 'first' });
});

test('a plan adds to the position of a running bot, or takes a part out, whichever way the price goes', async () => {
  const document: RulesDocument = {
    ...followsOther,
    title: 'Adjusts',
    enterLong: [{ tag: 'in', when: compare(close, 'above', { kind: 'number', value: 1 }) }],
    exitLong: [],
    positionPlan: { addMore: { distance: 0.0003, stake: 0.5, most: 3 }, takeOut: [{ profit: 0.0003, part: 0.3 }] },
  };
  const id = await botOn(await addTestRules(db, document), 'adjusts');
  const filled = async () => {
    const [trade] = await tradesOf(id);
    if (trade === undefined) return [];
    const { rows } = await sql<{ purpose: string }>`
      select purpose from orders where trade_id = ${trade.id} and status = 'filled' order by planned_at`.execute(db);
    return rows.map(({ purpose }) => purpose);
  };
  await expect.poll(async () => (await filled()).length, often).toBeGreaterThan(1);
  expect((await filled())[0]).toBe('entry');
  expect(await tradesOf(id)).toMatchObject([{ status: 'open', entryTag: 'in' }]); // nothing but the plan has made the others
});

test('rules that cannot run where a bot is say so on the bot', async () => {
  const longer = compare({ ...close, timeframe: '1h' }, 'above', { kind: 'number', value: 1 });
  const tooLong = await botOn(await addTestRules(db, { ...followsOther, guard: [longer] }), 'too long', { timeframe: '4h' });
  const missing = compare({ ...close, symbol: 'NONE/USDT' }, 'above', { kind: 'number', value: 1 });
  const noPair = await botOn(await addTestRules(db, { ...followsOther, guard: [missing] }), 'no pair');
  const code = await addTestRules(db, { ...followsOther, title: 'From tomorrow' });
  const unreadable = await botOn(code, 'unreadable');
  await sql`update strategy_code set document = '{"version": 2}', hash = 'tomorrow' where id = ${code.codeId}`.execute(db);
  const bands = Array.from({ length: 50 }, (_, i) =>
    compare(indicator('bollinger', { period: 2_400, deviations: 2 + i / 100 }, 'upper'), 'above', { kind: 'number', value: 1 }),
  );
  const ofBefore = await addTestRules(db, { ...followsOther, title: 'Of before' });
  const heavy = await botOn(ofBefore, 'heavy');
  const heavyDocument = JSON.stringify({ ...followsOther, guard: bands });
  await sql`update strategy_code set document = ${heavyDocument}::jsonb, hash = 'heavy' where id = ${ofBefore.codeId}`.execute(db);
  await sql`update bots set updated_at = now() where id in (${unreadable}, ${heavy})`.execute(db);
  await expect.poll(() => lastErrorOf(tooLong), often).toContain('1h is not longer than 4h');
  await expect.poll(() => lastErrorOf(noPair), often).toContain('The strategy reads NONE/USDT, which sandbox does not have');
  await expect.poll(() => lastErrorOf(unreadable), often).toContain('This version of Flotilla cannot run the strategy');
  await expect.poll(() => lastErrorOf(heavy), often).toContain('million steps of arithmetic at each candle; the most are 50 million');
});
