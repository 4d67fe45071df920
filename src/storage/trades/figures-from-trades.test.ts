import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { BotSettings } from '../bots/bot-settings.ts';
import { botSettingsOf, changeBotSettings } from '../bots/bot-settings.ts';
import { findBot } from '../bots/bots.ts';
import { claimBots, renewLease } from '../bots/runners.ts';
import type { StepWrites } from '../bots/running-bots.ts';
import { writeStep } from '../bots/running-bots.ts';
import { traderFigures } from '../fund/trader-figures.ts';
import { aStep } from '../testing/a-step.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import { holdImports, importTrades } from './imported-trades.ts';
import type { FiguresOf } from './figures-from-trades.ts';
import { makeFiguresAgain } from './figures-from-trades.ts';
import type { ClosedTrade, TradeRow } from './trade-writes.ts';
import { addToFigures } from './trade-writes.ts';

const { db } = await freshDatabase();
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
const start = Date.UTC(2026, 2, 1, 23);
const minute = 60_000;

let botId = '';
let holder = { id: '', epoch: '', runnerId, updatedAt: new Date(0) };
let time = start;
let since = 0; // when the bot got its currency
let capitals: { from: number; capital: string }[] = [];
let known: TradeRow[] = []; // the closed trades, as they are now

beforeEach(async () => {
  await sql`truncate bots, imported_keys cascade`.execute(db);
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'corrected' }); // 100 x 3
  const claimed = (await claimBots(db, runnerId, 100)).find(({ id }) => id === botId);
  holder = { id: botId, epoch: claimed?.epoch ?? '', runnerId, updatedAt: new Date(0) };
  [time, since, capitals, known] = [start, 0, [{ from: 0, capital: '300' }], []];
});

const bot = async () => {
  const found = await findBot(db, botId);
  if (found === null) throw new Error('The bot does not exist');
  return found;
};
const rowsOf = (...trades: TradeRow[]) => trades.map((trade) => ({ trade, orders: [], fills: [] }));
async function write(given: Partial<StepWrites>): Promise<void> {
  holder.updatedAt = (await bot()).updatedAt; // it was changed, or a loss has paused it
  await writeStep(db, holder, 'paper', aStep(given));
}

/** A trade that has closed with these figures. */
const aClosed = (profit: number, closedAt = time, fees = '0.2'): TradeRow =>
  aTradeRow(botId, { status: 'closed', openedAt: new Date(closedAt - minute), closedAt: new Date(closedAt), exitPrice: 101, profit, fees });
const closingOf = ({ profit, fees, closedAt }: TradeRow): ClosedTrade => ({
  botId,
  mode: 'paper',
  startingBalance: capitals.at(-1)?.capital ?? '',
  profit: Number(profit),
  fees: String(fees),
  closedAt: new Date(closedAt as Date),
});
async function close(...trades: TradeRow[]): Promise<void> {
  await write({ trades: rowsOf(...trades), closed: trades.map(closingOf) });
  known.push(...trades);
}
/** Gives a closed trade other figures; `also` closes in the same step. */
async function correct(trades: TradeRow[], also: TradeRow[] = []): Promise<void> {
  await write({ trades: rowsOf(...trades, ...also), closed: also.map(closingOf), correctedTrades: trades.map(({ id }) => id) });
  known = [...known.map((old) => trades.find(({ id }) => id === old.id) ?? old), ...also];
}
async function change(given: Partial<BotSettings>): Promise<void> {
  time += minute;
  const before = await bot();
  await db.transaction().execute(async (trx) => {
    await changeBotSettings(trx, before, { ...botSettingsOf(before), ...given }, before.userId, new Date(time));
  });
  capitals.push({ from: time, capital: (await bot()).startingBalance });
  if (given.stakeCurrency !== undefined && given.stakeCurrency !== before.stakeCurrency) since = time;
  time += minute;
}

/** A decimal in units of its eighteenth place, as the database keeps it. */
function units(decimal: unknown): bigint {
  const [whole = '0', places = ''] = (typeof decimal === 'number' ? decimal.toFixed(8) : String(decimal)).split('.');
  return BigInt(`${whole}${places.padEnd(18, '0')}`);
}
const decimal = (value: bigint): string => {
  const digits = String(value < 0n ? -value : value).padStart(19, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`;
};
const timeOf = ({ closedAt }: TradeRow): number => new Date(closedAt as Date).getTime();
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The figures, one trade after the other. */
async function fromTrades() {
  const counted = known.filter((trade) => timeOf(trade) >= since).toSorted((a, b) => timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1));
  const day = dayOf(Math.max(...counted.map(timeOf)));
  let [realized, fees, dayProfit, gained, fall] = [0n, 0n, 0n, 0n, 0n];
  let deepest = { fall: 0n, peak: 1n };
  for (const trade of counted) {
    const profit = units(trade.profit);
    const capital = units(capitals.findLast(({ from }) => from <= timeOf(trade))?.capital);
    realized += profit;
    fees += units(trade.fees);
    if (dayOf(timeOf(trade)) === day) dayProfit += profit;
    if (gained - realized > fall) fall = gained - realized;
    if ((gained - realized) * deepest.peak > deepest.fall * (capital + gained))
      deepest = { fall: gained - realized, peak: capital + gained };
    if (realized > gained) gained = realized;
  }
  const { rows } = await sql<{ ratio: string }>`
    select trim_scale(${decimal(deepest.fall)}::numeric(38, 18) / ${decimal(deepest.peak)}::numeric(38, 18))::text as ratio`.execute(db);
  return {
    trades: counted.length,
    wins: counted.filter(({ profit }) => Number(profit) > 0).length,
    losses: counted.filter(({ profit }) => Number(profit) < 0).length,
    realizedPnl: decimal(realized),
    fees: decimal(fees),
    peakBalance: decimal(units(capitals.at(-1)?.capital) + gained),
    maxDrawdown: decimal(fall),
    maxDrawdownRatio: rows[0]?.ratio,
    lastTradeAt: new Date(Math.max(...counted.map(timeOf))),
    day,
    dayProfit: decimal(dayProfit),
  };
}
async function kept() {
  const { rows } = await sql<Awaited<ReturnType<typeof fromTrades>>>`
    select trades, wins, losses, realized_pnl::text, fees::text, peak_balance::text, max_drawdown::text, trim_scale(max_drawdown_ratio)::text as max_drawdown_ratio,
      last_trade_at, day::text, day_profit::text
    from bot_figures where bot_id = ${botId} and mode = 'paper'`.execute(db);
  return rows[0];
}

describe('OP-70 the figures of a bot are those of its trades', () => {
  test('after a late payment, also where its balance had been highest, and where it had fallen the most', async () => {
    const [first, second, third] = [aClosed(30), aClosed(-20, time + minute), aClosed(5, time + 2 * minute)];
    for (const trade of [first, second, third]) await close(trade);
    expect(await kept()).toMatchObject({ peakBalance: '330.000000000000000000', maxDrawdown: '20.000000000000000000' });
    await correct([{ ...first, profit: 10 }]);
    expect(await kept()).toEqual(await fromTrades());
    expect(await kept()).toMatchObject({ peakBalance: '310.000000000000000000', maxDrawdown: '20.000000000000000000' });
    await correct([{ ...second, profit: -50, fees: '1.25' }]);
    expect(await kept()).toEqual(await fromTrades());
    expect(await kept()).toMatchObject({ maxDrawdown: '50.000000000000000000', realizedPnl: '-35.000000000000000000' });
    await correct([{ ...second, profit: 50 }]); // a loss that was none
    expect(await kept()).toEqual(await fromTrades());
    expect(await kept()).toMatchObject({ wins: 3, losses: 0, maxDrawdown: '0.000000000000000000', maxDrawdownRatio: '0' });
    const [figures] = await traderFigures(db, { traderId: null, mode: 'paper', start: null, end: null });
    expect(figures).toMatchObject({ trades: 3, wins: 3, profit: '65', maxDrawdown: '0' });
  });

  test('when several are corrected in one step, while others close', async () => {
    const trades = [10, -3, 7, -9].map((profit, i) => aClosed(profit, time + i * minute));
    for (const trade of trades) await close(trade);
    const [first, second] = trades;
    if (first === undefined || second === undefined) throw new Error('There are four');
    await correct(
      [
        { ...first, profit: -1 },
        { ...second, profit: 12.5 },
      ],
      [aClosed(-40, time + 9 * minute), aClosed(3, time + 9 * minute)],
    );
    expect(await kept()).toEqual(await fromTrades());
  });

  test('when a report closes a trade and corrects it', async () => {
    await close(aClosed(10));
    const trade = aClosed(4, time + minute);
    await write({ trades: rowsOf({ ...trade, profit: -6, fees: '0.3' }), closed: [closingOf(trade)], correctedTrades: [trade.id] });
    known.push({ ...trade, profit: -6, fees: '0.3' });
    expect(await kept()).toEqual(await fromTrades());
  });

  test('when a trade that was given up turns out to have held something', async () => {
    const trade = aTradeRow(botId, { status: 'cancelled', openedAt: new Date(time), closedAt: new Date(time) });
    await write({ trades: rowsOf(trade) });
    const ended: TradeRow = { ...trade, status: 'closed', closedAt: new Date(time + minute), profit: -4, fees: '0.1' };
    await write({ trades: rowsOf(ended), correctedTrades: [ended.id] });
    known.push(ended);
    expect(await kept()).toEqual(await fromTrades());
    await correct([{ ...ended, profit: -5 }]);
    expect(await kept()).toEqual(await fromTrades());
  });

  test('when a close is reported after one that came later, and when two close at once', async () => {
    await close(aClosed(10, time + 5 * minute));
    await close(aClosed(-30, time + minute));
    expect(await kept()).toEqual(await fromTrades());
    const ids = [randomUUID(), randomUUID()].toSorted();
    // In the order of their ids the loss comes after the gain.
    await close(
      { ...aClosed(-8, time + 6 * minute), id: ids[1] ?? '' },
      { ...aClosed(20, time + 6 * minute), id: ids[0] ?? '' },
      aClosed(-1, time + 7 * minute),
    );
    expect(await kept()).toEqual(await fromTrades());
  });

  test('when trades are written at first, and counted one by one in any order', async () => {
    const trades = [10, -20, 5].map((profit, i) => aClosed(profit, time + i * minute));
    await write({ trades: rowsOf(...trades) });
    known.push(...trades);
    const [first, second, third] = trades.map(closingOf);
    const again: (FiguresOf | null)[] = [];
    for (const closed of [second, first, third]) if (closed !== undefined) again.push(await addToFigures(db, closed));
    expect(again).toEqual([null, { botId, mode: 'paper' }, null]);
    for (const of of again) if (of !== null) await makeFiguresAgain(db, of);
    expect(await kept()).toEqual(await fromTrades());
  });

  test('when the corrected trade is written behind five hundred others', async () => {
    const trade = aClosed(30);
    await close(trade);
    const open = Array.from({ length: 500 }, (_, i) => aTradeRow(botId, { symbol: `C${i}/USDT` }));
    const corrected = { ...trade, profit: -70 };
    await write({ trades: rowsOf(...open, corrected), correctedTrades: [trade.id] });
    known = [corrected];
    expect(await kept()).toEqual(await fromTrades());
  });

  test('a close that is reported after the bot got more counts with what it had then', async () => {
    await close(aClosed(1));
    time += minute;
    const lost = aClosed(-60);
    await change({ stakeAmount: '1000' });
    await close(lost);
    expect(await kept()).toEqual(await fromTrades());
  });

  test('what the bot has made in another mode, with other capital, is none of it, and stays as it is', async () => {
    const later = time + 9 * minute;
    const real = { ...aClosed(-70, later), mode: 'testnet' } as const;
    await write({ trades: rowsOf(real) });
    await db
      .insertInto('botCapitals')
      .values({ botId, mode: 'testnet', since: new Date(0), currency: 'USDT', capital: '100000' })
      .onConflict((conflict) => conflict.columns(['botId', 'mode', 'since']).doUpdateSet({ capital: '100000' }))
      .execute();
    await addToFigures(db, { ...closingOf(real), mode: 'testnet', startingBalance: '100000' });
    const ofTestnet = () => db.selectFrom('botFigures').selectAll().where('botId', '=', botId).where('mode', '=', 'testnet').execute();
    const before = await ofTestnet();
    expect(before).toMatchObject([{ trades: 1, realizedPnl: '-70.000000000000000000' }]);
    const trade = aClosed(-30);
    await close(trade, aClosed(10, time + minute));
    await correct([{ ...trade, profit: -50, fees: '0.9' }]);
    expect(await kept()).toEqual(await fromTrades());
    expect(await ofTestnet()).toEqual(before);
  });

  test('a step with a correction that cannot be written fails with the reason, and changes nothing', async () => {
    const trade = aClosed(30);
    await close(trade);
    const broken = { symbol: 'BTC/USDT', candleTime: time, action: 'enter', gate: null, seen: { rsi: '\u0000' }, decidedAt: time } as const;
    const written = write({
      trades: rowsOf({ ...trade, profit: 10 }),
      correctedTrades: [trade.id],
      decisions: [{ ...broken, botId, epoch: holder.epoch }],
    });
    await expect(written).rejects.toThrow('unsupported Unicode escape sequence');
    expect(await kept()).toEqual(await fromTrades());
  });

  test('a fall in per cent stays one of the capital of then, whatever is corrected after the bot got more', async () => {
    const [lost, later] = [aClosed(-150), aClosed(1, time + 5 * minute)];
    await close(lost);
    await change({ stakeAmount: '1000' });
    await close(later);
    await correct([{ ...later, profit: 2 }]);
    expect(await kept()).toEqual(await fromTrades());
    expect(await kept()).toMatchObject({ maxDrawdownRatio: '0.5', peakBalance: '3000.000000000000000000' });
  });

  test('trades of another program are not among them, and those of the currency before do not come back', async () => {
    const before = aClosed(-25);
    await close(before);
    await change({ stakeCurrency: 'USDC' });
    await correct([{ ...before, profit: -26 }]);
    expect(await kept()).toBeUndefined();
    await db.transaction().execute(async (trx) => {
      await holdImports(trx);
      const terms = {
        direction: 'long',
        amount: '1',
        stake: '100',
        leverage: '1',
        entryPrice: '100',
        exitPrice: '50',
        priceTick: null,
      } as const;
      const none = { stopPrice: null, initialStopPrice: null, liquidationPrice: null, entryTag: null, exitReason: null, profitRatio: null };
      const trade = { ...terms, ...none, key: 'a', symbol: 'BTC/USDC', fees: '0.5', funding: '0', profit: '-50' };
      const times = { openedAt: new Date(time - minute), closedAt: new Date(time) };
      await importTrades(trx, botId, { from: 'freqtrade', closed: [{ ...trade, ...times }], openKeys: [] }, new Date(time));
    });
    await correct([{ ...before, profit: -27 }]);
    expect(await kept()).toMatchObject({ trades: 0, realizedPnl: '0.000000000000000000', peakBalance: '300.000000000000000000' });
    const own = aClosed(10, time + minute);
    await close(own, aClosed(-4, time + 2 * minute));
    await correct([
      { ...own, profit: 3 },
      { ...before, profit: -28 },
    ]);
    expect(await kept()).toEqual(await fromTrades());
    expect(await kept()).toMatchObject({ trades: 2, realizedPnl: '-1.000000000000000000' });
    const row = await db.selectFrom('botFigures').select(['importedTrades', 'importedPnl']).where('botId', '=', botId).executeTakeFirst();
    expect(row).toEqual({ importedTrades: 1, importedPnl: '-50.000000000000000000' });
  });

  test('a correction of which the trades are not all there counts as far as it is known', async () => {
    const [gone, yesterday, today] = [aClosed(30), aClosed(-20, time + minute), aClosed(-1, time + 90 * minute)];
    for (const trade of [gone, yesterday, today]) await close(trade);
    await db.deleteFrom('trades').where('id', '=', gone.id).execute();
    await correct([{ ...yesterday, profit: 21, fees: '0.5' }]);
    expect(await kept()).toMatchObject({
      trades: 3,
      wins: 2,
      losses: 1,
      realizedPnl: '50.000000000000000000',
      fees: '0.900000000000000000',
      day: '2026-03-02',
      dayProfit: '-1.000000000000000000',
    });
    await correct([{ ...today, profit: null }]);
    await correct([{ ...today, profit: -4 }]);
    expect(await kept()).toMatchObject({ losses: 1, realizedPnl: '47.000000000000000000', dayProfit: '-4.000000000000000000' });
  });

  test.each([11, 12, 13, 14, 15, 16])('after any sequence of closes, corrections and changes of the bot; from %i', async (first) => {
    let seed = first;
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const below = (n: number): number => Math.floor(random() * n);
    const oneOf = <T>(values: readonly T[]): T => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('none to choose from');
      return value;
    };
    const profit = (): number => oneOf([0, 0.00000001, -0.00000001, 12.5, -12.5, (below(20_000_000_001) - 1e10) / 1e8]);
    const anEnd = (): TradeRow => {
      time += oneOf([0, 0, 1, minute, 40 * minute]);
      return aClosed(profit(), time - (below(5) === 0 ? below(90) * minute : 0), oneOf(['0', '0.1', '0.000000000000000003']));
    };
    const changed = (): TradeRow => ({ ...oneOf(known), profit: profit(), fees: oneOf(['0.1', '0.30000001']) });
    await close(aClosed(profit()));
    for (let i = 0; i < 40; i++) {
      const what = below(12);
      if (what < 4) await close(anEnd());
      else if (what < 6) await close(anEnd(), anEnd(), anEnd());
      else if (what < 9) await correct([changed()]);
      else if (what < 10) {
        const [one, other] = [changed(), changed()];
        await correct(one.id === other.id ? [one] : [one, other], [anEnd()]);
      } else if (what < 11) await change({ stakeAmount: String(50 + below(200)) });
      else if (i % 3 === 0) {
        await change({ stakeCurrency: oneOf(['USDT', 'USDC']) });
        time += 90 * minute; // nothing is open when it changes, so nothing can be reported late
        await close(aClosed(profit()));
      }
      expect(await kept(), `step ${i}, ${what}`).toEqual(await fromTrades());
    }
  });
});
