import type { CallInput } from '#contract/client.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2026, 2, 1);
const iso = (time: number) => new Date(time).toISOString();
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let botId: string;
let theirs: string;

const decided = (of: { bot?: string; symbol?: string; at: number; action?: string; gate?: string | null; seen?: object }) => ({
  botId: of.bot ?? botId,
  epoch: '0',
  symbol: of.symbol ?? 'BTC/USDT',
  candleTime: of.at,
  action: of.action ?? 'none',
  gate: of.gate === undefined ? 'no-signal' : of.gate,
  seen: { enterLong: false, exitLong: false, enterShort: false, exitShort: false, tag: null, confidence: null, price: 100, ...of.seen },
  decidedAt: of.at + minute,
});
const long = { enterLong: true, tag: 'cross', confidence: 0.75, price: 101.5 };

async function closeTrade(of: { profit: number; at: number; mode?: string; symbol?: string }): Promise<void> {
  await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
    values (gen_random_uuid(), ${botId}, ${of.symbol ?? 'BTC/USDT'}, 'long', ${of.mode ?? 'paper'}, 'closed', ${new Date(start)},
      ${new Date(of.at)}, 1, 1, 1, ${of.profit})`.execute(db);
}

const asked = (query: CallInput<'botDecisions'>['query'], person = owner, id = botId) => person.botDecisions({ params: { id }, query });
const day = { from: iso(start), to: iso(start + 24 * hour) };

beforeAll(async () => {
  owner = await server.signedIn('trader', 'owner@example.com');
  const symbols = ['BTC/USDT', 'ETH/USDT'];
  botId = await addTestBot(db, { strategy: 'EmaCross', owner: 'owner@example.com', symbols });
  theirs = await addTestBot(db, { strategy: 'EmaCross', owner: 'other@example.com', symbols });
  await addDecisions(db, [
    ...Array.from({ length: 150 }, (_, i) => decided({ at: start + i * minute })),
    ...Array.from({ length: 80 }, (_, i) => decided({ at: start + i * minute, symbol: 'ETH/USDT' })),
    decided({ at: start + 150 * minute, gate: 'slots-full', seen: long }),
    decided({ at: start + 151 * minute, gate: 'slots-full', seen: { ...long, enterLong: false, enterShort: true } }),
    decided({ at: start + 152 * minute, gate: 'locked', seen: long }),
    decided({ at: start + 153 * minute, action: 'enter', gate: null, seen: long }),
    decided({ at: start + 154 * minute, action: 'hold', gate: 'has-open-trade', seen: long }),
    decided({ at: start + 155 * minute, action: 'hold', gate: null }),
    decided({ at: start + 156 * minute, action: 'hold', gate: 'exit-not-profitable' }),
    decided({ at: start + 157 * minute, action: 'exit', gate: null }),
    // A spot bot does not go short: no signal for it, whatever the strategy saw.
    decided({ at: start + 158 * minute, seen: { enterShort: true } }),
    decided({ at: start - 1, gate: 'paused', seen: long }), // before the range
    decided({ at: start + 24 * hour, gate: 'paused', seen: long }), // its end is not part of it
    decided({ at: start, bot: theirs, gate: 'paused', seen: long }),
  ]);
  await closeTrade({ profit: 2, at: start });
  await closeTrade({ profit: -1, at: start + hour });
  await closeTrade({ profit: 0, at: start + hour, symbol: 'ETH/USDT' });
  await closeTrade({ profit: 5, at: start + hour, mode: 'testnet' });
  await closeTrade({ profit: 5, at: start + 24 * hour });
});

describe('ADD-bot-decisions', () => {
  test('a range says how many candles, signals, refusals by gate, entries and trades there were, whatever the list shows', async () => {
    const expected = {
      candles: 239,
      signals: 5,
      refused: [
        { gate: 'slots-full', count: 2 },
        { gate: 'has-open-trade', count: 1 },
        { gate: 'locked', count: 1 },
      ],
      entered: 1,
      closed: 3,
      won: 1,
    };
    expect((await asked(day)).funnels?.range).toEqual(expected);
    expect((await asked({ ...day, gate: 'locked' })).funnels?.range).toEqual(expected);
    expect((await asked({ ...day, symbol: 'ETH/USDT' })).funnels?.range).toEqual({
      candles: 80,
      signals: 0,
      refused: [],
      entered: 0,
      closed: 1,
      won: 0,
    });
  });

  test('the pages together are every decision of the range once, the newest first, also where symbols share a candle', async () => {
    const rows = [];
    const sizes = [];
    let before: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof asked>> = await asked({ ...day, ...(before === null ? {} : { before }) });
      expect(page.funnels === null).toBe(before !== null);
      rows.push(...page.decisions.map(({ candle_time, symbol }) => `${candle_time} ${symbol}`));
      sizes.push(page.decisions.length);
      before = page.next;
    } while (before !== null);
    expect(sizes).toEqual([100, 100, 39]);
    expect(rows).toEqual([...new Set(rows)].sort().reverse());
  });

  test('the list is filtered by symbol, gate, action, and by whether there was a signal', async () => {
    const count = async (query: object) => (await asked({ ...day, ...query })).decisions.length;
    expect(await count({ symbol: 'ETH/USDT' })).toBe(80);
    expect(await count({ gate: 'slots-full' })).toBe(2);
    expect(await count({ action: 'hold' })).toBe(3);
    expect(await count({ signals: 'only' })).toBe(5);
    expect(await count({ symbol: 'ETH/USDT', gate: 'slots-full' })).toBe(0);
    expect((await asked({ ...day, gate: 'slots-full' })).decisions).toEqual([
      {
        candle_time: iso(start + 151 * minute),
        symbol: 'BTC/USDT',
        action: 'none',
        gate: 'slots-full',
        direction: 'short',
        tag: 'cross',
        confidence: 0.75,
        price: 101.5,
      },
      expect.objectContaining({ candle_time: iso(start + 150 * minute), direction: 'long' }),
    ]);
  });

  test('without a range it is the last day; the last hour has a candle that opened before it and closed in it', async () => {
    const mine = await addTestBot(db, { strategy: 'EmaCross', owner: 'owner@example.com', timeframe: '1h' });
    const now = Date.now();
    await addDecisions(db, [
      decided({ bot: mine, at: now - 1.5 * hour, gate: 'locked', seen: long }),
      decided({ bot: mine, at: now - 2.5 * hour }),
      decided({ bot: mine, at: now - 24.5 * hour }),
    ]);
    const { funnels, decisions } = await asked({}, owner, mine);
    expect(decisions).toHaveLength(2);
    expect(funnels?.hour).toMatchObject({ candles: 1, signals: 1, refused: [{ gate: 'locked', count: 1 }] });
    expect(funnels?.day).toMatchObject({ candles: 3, signals: 1 });
    expect(funnels?.range).toMatchObject({ candles: 2, signals: 1 });
  });

  test('a range that is upside down or longer than 31 days is refused with a sentence', async () => {
    const refusal = async (from: number, to: number) => (await failure(asked({ from: iso(from), to: iso(to) }))).message;
    expect(await refusal(start, start)).toBe('400 The start of the range must be before its end');
    expect(await refusal(start, start + 31 * 24 * hour + 1)).toBe('400 A range may be at most 31 days long');
    expect((await asked({ from: iso(start), to: iso(start + 31 * 24 * hour) })).decisions).toHaveLength(100);
    expect((await failure(asked({ before: 'BTC/USDT' }))).message).toBe('400 Invalid request');
  });

  test('the candle without a signal that was nearest to one is named, of the last hour and of the last day', async () => {
    const mine = await addTestBot(db, {
      strategy: 'RsiReversal',
      nickname: 'near',
      owner: 'owner@example.com',
      timeframe: '1m',
      status: 'active',
      symbols: ['BTC/USDT', 'ETH/USDT'],
    });
    const now = Math.floor(Date.now() / minute) * minute;
    const near = (value: number) => ({ near: { direction: 'long', name: 'RSI', value, threshold: 30, distance: value - 30 } });
    await addDecisions(db, [
      decided({ bot: mine, at: now - 20 * minute, seen: { ...near(33), values: { rsi: 33 }, priceAge: 700, last: 101 } }),
      decided({ bot: mine, at: now - 10 * minute, symbol: 'ETH/USDT', seen: near(31) }),
      decided({
        bot: mine,
        at: now - 9 * minute,
        symbol: 'ETH/USDT',
        gate: 'locked',
        seen: { ...long, ...near(30), numbers: { until: now } },
      }), // was a signal
      decided({ bot: mine, at: now - 5 * minute }), // cannot say
      decided({ bot: mine, at: now - 3 * hour, seen: near(30.5) }),
      decided({ bot: mine, at: now - 26 * hour, seen: near(30.1) }),
    ]);
    const reply = await asked({}, owner, mine);
    const inHour = { candle_time: iso(now - 10 * minute), symbol: 'ETH/USDT', name: 'RSI', value: 31, threshold: 30 };
    expect(reply.nearest).toEqual({ hour: inHour, day: { ...inHour, candle_time: iso(now - 3 * hour), symbol: 'BTC/USDT', value: 30.5 } });
    expect((await asked({ symbol: 'BTC/USDT' }, owner, mine)).nearest?.hour).toMatchObject({ value: 33 });
    expect(reply.decisions.map(({ seen }) => seen)).toEqual([
      undefined,
      { near: { direction: 'long', name: 'RSI', value: 30, threshold: 30 }, numbers: { until: now } },
      { near: { direction: 'long', name: 'RSI', value: 31, threshold: 30 } },
      { near: { direction: 'long', name: 'RSI', value: 33, threshold: 30 }, values: { rsi: 33 }, price: 101, price_age_ms: 700 },
      expect.anything(),
    ]);
    const countsOf = async (person: Person, id: string) => {
      const { bots } = await person.liveStatus({ query: { hour: 'true' } });
      const found = bots.find(({ bot_id: bot }) => bot === id);
      return { hour: found?.last_hour, day: found?.last_day };
    };
    const { day: ofDay } = reply.funnels ?? {};
    expect(await countsOf(owner, mine)).toEqual({
      hour: { candles: 4, signals: 1, entered: 0, nearest: inHour },
      day: { candles: ofDay?.candles, signals: ofDay?.signals, entered: 0, nearest: reply.nearest?.day },
    });
    expect(ofDay?.candles).toBe(5);
    expect(await countsOf(owner, theirs)).toEqual({});
    await sql`update bots set status = 'paused' where id = ${mine}`.execute(db);
    expect(await countsOf(owner, mine)).toEqual({ hour: null, day: null });
  });

  test('its owner and admins see it, nobody else', async () => {
    expect((await asked(day, await server.signedIn('admin'))).decisions).toHaveLength(100);
    for (const role of ['operator', 'investor'] as const)
      expect((await failure(asked(day, await server.signedIn(role)))).message).toBe('403 You do not have access to this bot');
    expect((await failure(asked(day, owner, theirs))).message).toBe('403 You do not have access to this bot');
  });
});

describe('ADD-bot-decision-marks', () => {
  test('entries, exits and refused signals of one pair, the oldest first; never more than 31 days back, and of the own bot only', async () => {
    const mine = await addTestBot(db, { strategy: 'EmaCross', owner: 'owner@example.com', symbols: ['BTC/USDT', 'ETH/USDT'] });
    const now = Date.now();
    const at = (hours: number) => now - hours * hour;
    await addDecisions(db, [
      decided({ bot: mine, at: at(32 * 24), gate: 'locked', seen: long }),
      decided({ bot: mine, at: at(30), gate: 'locked', seen: { ...long, enterLong: false, enterShort: true } }),
      decided({ bot: mine, at: at(5) }),
      decided({ bot: mine, at: at(4), action: 'enter', gate: null, seen: long }),
      decided({ bot: mine, at: at(3), action: 'hold', gate: 'has-open-trade', seen: long }),
      decided({ bot: mine, at: at(2), action: 'exit', gate: null }),
      decided({ bot: mine, symbol: 'ETH/USDT', at: at(2), gate: 'paused', seen: long }),
    ]);
    const marks = async (query: { from?: string } = {}) =>
      (await owner.botDecisionMarks({ params: { id: mine }, query: { symbol: 'BTC/USDT', ...query } })).marks;
    expect(await marks()).toEqual([
      { candle_time: iso(at(4)), action: 'enter', gate: null, direction: 'long' },
      { candle_time: iso(at(2)), action: 'exit', gate: null, direction: null },
    ]);
    expect((await marks({ from: iso(at(90 * 24)) }))[0]).toEqual({
      candle_time: iso(at(30)),
      action: 'none',
      gate: 'locked',
      direction: 'short',
    });
    expect(await failure(owner.botDecisionMarks({ params: { id: theirs }, query: { symbol: 'BTC/USDT' } }))).toMatchObject({ status: 403 });
  });
});
