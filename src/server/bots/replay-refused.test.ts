import type { CallInput } from '#contract/client.ts';
import { Markets } from '#feeds/markets.ts';
import { Hindsight } from '#runner/hindsight/hindsight.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { patientHindsight } from '../../../test/support/test-hindsight.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const server = await startTestServer({
  markets: market.connect(),
  askReplay: async (question, signal) => hindsight.replay(question, signal),
});
const { db } = server.dependencies;
const minute = 60_000;
/** Every replay is of this moment: a candle that closes between two of them would be in the second only. */
const now = Math.floor(Date.now() / minute) * minute;
const open = (over: object = {}): Hindsight =>
  new Hindsight({ db, markets: market.connect(), now: () => now, log: () => {}, ...patientHindsight, ...over });
let hindsight = open();
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let botId: string;
const stake = 100;
/** How long ago the entries were refused whose end is worked out by hand, in minutes. */
const longAgo = [300, 240, 200, 90];
/** The part of the price at which they are stopped: half of how far the market fell below one of them, wherever it has gone today. */
let stop = 0;

const refused = (of: { at: number; bot?: string; symbol?: string; gate?: string; after?: number; seen?: object }) => ({
  botId: of.bot ?? botId,
  epoch: '0',
  symbol: of.symbol ?? 'BTC/USDT',
  candleTime: of.at,
  action: 'none',
  gate: of.gate ?? 'slots-full',
  seen: { enterLong: true, exitLong: false, enterShort: false, exitShort: false, tag: 'cross', confidence: null, price: 100, ...of.seen },
  decidedAt: of.at + (of.after ?? minute) + 40,
});
const ask = (body: CallInput<'replayRefused'>['body'], person = owner, id = botId) => person.replayRefused({ params: { id }, body });
async function replayOf(body: CallInput<'replayRefused'>['body'], id = botId) {
  const { state, why, replay } = await ask(body, owner, id);
  expect([state, why]).toEqual(['done', null]);
  return replay!;
}

/** The candles after an entry at the opening after `at`, its own first. */
async function candlesAfter(at: number) {
  return (await market.connect().market('sandbox', 'spot')).candles('BTC/USDT', '1m', at + minute, now);
}

/** What a long at the opening after `at` comes to when only its stop ends it, worked out candle by candle. */
async function byHand(at: number): Promise<{ closedAt: number; profit: number } | null> {
  const data = await market.connect().market('sandbox', 'spot');
  const { takerFee, makerFee } = (await data.instrument('BTC/USDT'))!;
  const fee = Math.max(takerFee, makerFee);
  const candles = await candlesAfter(at);
  const entry = candles[0].open;
  const hit = candles.find(({ low }) => low <= entry * (1 - stop));
  if (hit === undefined) return null;
  return { closedAt: hit.openTime, profit: -stake * (stop + fee + fee * (1 - stop)) };
}

beforeAll(async () => {
  const falls = longAgo.map(async (ago) => {
    const candles = await candlesAfter(now - ago * minute);
    return 1 - Math.min(...candles.map(({ low }) => low)) / candles[0].open;
  });
  stop = Number((Math.max(...(await Promise.all(falls))) / 2).toFixed(6));
  owner = await server.signedIn('trader', 'owner@example.com');
  botId = await addTestBot(db, {
    strategy: 'AlwaysFlat',
    owner: 'owner@example.com',
    stakeAmount: stake,
    stoploss: -stop,
    minimalRoi: {},
    symbols: ['BTC/USDT', 'ETH/USDT'],
  });
});
afterAll(async () => hindsight.close());

describe('ADD-replay-refused', () => {
  test('what a check refused is replayed with the own settings of the bot, the newest first, and the sums are those of the entries', async () => {
    const times = longAgo.map((ago) => now - ago * minute);
    await addDecisions(db, [
      ...times.map((at) => refused({ at })),
      refused({ at: now - minute }), // nothing has closed since
      refused({ at: now - 80 * minute, symbol: 'ETH/USDT' }),
      refused({ at: now - 70 * minute, symbol: 'SOL/USDT' }), // not a pair of the bot any more
      refused({ at: now - 60 * minute, after: 5 * minute }), // of 5m candles
      refused({ at: now - 50 * minute, gate: 'locked' }),
      refused({ at: now - 40 * minute, seen: { enterLong: false } }), // without a direction it was no entry
    ]);
    const { entries, sums, refused: all, left_out: leftOut } = await replayOf({ gate: 'slots-full' });
    expect([all, leftOut]).toEqual([8, 0]);
    expect(entries.map(({ candle_time: time }) => Date.parse(time))).toEqual(
      [1, 60, 70, 80, 90, 200, 240, 300].map((ago) => now - ago * minute),
    );
    expect(entries.slice(0, 3).map(({ outcome, why, profit }) => [outcome, why, profit])).toEqual([
      ['not-made', 'end-of-run', null],
      ['not-made', 'other-timeframe', null],
      ['not-made', 'left-pair', null],
    ]);
    let closed = 0;
    for (const at of times) {
      const entry = entries.find(({ candle_time: time, symbol }) => Date.parse(time) === at && symbol === 'BTC/USDT')!;
      const expected = await byHand(at);
      expect(entry.outcome).toBe(expected === null ? 'open' : 'closed');
      if (expected === null) continue;
      closed += 1;
      expect(entry.exit_reason).toBe('stop_loss');
      expect(Date.parse(entry.closed_at!)).toBe(expected.closedAt);
      expect(entry.profit).toBeCloseTo(expected.profit, 1);
    }
    expect(closed).toBeGreaterThan(0);
    const profits = entries.flatMap(({ profit }) => profit ?? []);
    expect(profits).toHaveLength(5);
    expect(sums).toHaveLength(1);
    expect(sums[0]).toMatchObject({
      currency: 'USDT',
      won: profits.filter((p) => p > 0).length,
      open: entries.filter(({ outcome }) => outcome === 'open').length,
    });
    expect(sums[0]?.profit).toBe(Number(profits.reduce((sum, profit) => sum + profit, 0).toFixed(8)));
    expect((await replayOf({ gate: 'slots-full', symbol: 'ETH/USDT' })).entries).toEqual(
      entries.filter(({ symbol }) => symbol === 'ETH/USDT'),
    );
    expect((await replayOf({ gate: 'locked' })).refused).toBe(1);
    expect(await replayOf({ gate: 'paused' })).toMatchObject({ refused: 0, entries: [], sums: [] });
  });

  test('of more than 200 the newest are replayed, and it says how many are left out', async () => {
    const mine = await addTestBot(db, { strategy: 'EmaCross', nickname: 'many', owner: 'owner@example.com' });
    await addDecisions(
      db,
      Array.from({ length: 230 }, (_, i) => refused({ bot: mine, at: now - (i + 10) * minute })),
    );
    const { entries, refused: all, left_out: leftOut } = await replayOf({ gate: 'slots-full' }, mine);
    expect([all, leftOut, entries.length]).toEqual([230, 30, 200]);
    expect(Date.parse(entries.at(-1)!.candle_time)).toBe(now - 209 * minute);
  });

  test('what is not a refused entry, a range that is upside down, and the bot of another are refused', async () => {
    expect((await failure(ask({ gate: 'has-open-trade' }))).message).toBe('400 Only entries that a check has refused can be replayed');
    const upsideDown = { from: new Date(now).toISOString(), to: new Date(now).toISOString() };
    expect((await failure(ask({ gate: 'locked', ...upsideDown }))).message).toBe('400 The start of the range must be before its end');
    const other = await server.signedIn('trader');
    expect((await failure(ask({ gate: 'locked' }, other))).message).toBe('403 You do not have access to this bot');
    expect((await ask({ gate: 'paused' }, await server.signedIn('admin'))).state).toBe('done');
  });

  test('a newer replay of the same person ends the older one', async () => {
    const [older, newer] = await Promise.allSettled([ask({ gate: 'slots-full' }), ask({ gate: 'locked' })]);
    const states = [older, newer].map((each) => (each.status === 'fulfilled' ? 'done' : String(each.reason)));
    expect(states.filter((state) => state === 'done').length).toBeGreaterThan(0);
    expect(states.filter((state) => state !== 'done').every((text) => text.includes('A newer replay has replaced this one'))).toBe(true);
  });

  test('without candles it says why; and the next question finds more', async () => {
    const far = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'far', owner: 'owner@example.com', symbols: ['LINK/USDT'] });
    await addDecisions(db, [refused({ bot: far, at: now - 30 * minute, symbol: 'LINK/USDT' })]);
    await hindsight.close();
    hindsight = open({ markets: new Markets([], () => Promise.reject(new Error('no connection'))) });
    expect(await ask({ gate: 'slots-full' }, owner, far)).toEqual({
      state: 'unavailable',
      why: 'The exchange does not give the candles of these pairs.',
      replay: null,
    });
    hindsight = open({ patienceMs: 0 });
    expect((await ask({ gate: 'slots-full' }, owner, far)).state).toBe('downloading');
    await expect.poll(async () => (await ask({ gate: 'slots-full' }, owner, far)).state).not.toBe('unavailable');
    await hindsight.close();
    hindsight = open();
    expect((await ask({ gate: 'slots-full' }, owner, far)).state).toBe('done');
  });
});
