import { setImmediate as nextPass } from 'node:timers/promises';
import type { SignalRow } from '#engine/bot/event.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { failedRow } from '#engine/bot/signal-row.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
import { candleAt, handMarket, series } from '#feeds/testing/hand-market.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { expect, test } from 'vitest';
import type { SignalSource } from './runnable-strategy.ts';
import { localSignals } from './runnable-strategy.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import type { RowListener } from './signal-feed.ts';
import { SignalFeed } from './signal-feed.ts';
import { Turns } from './turns.ts';
import { aRowListener } from './testing/row-listener.ts';

/** A strategy that never trades and counts its evaluations; `failsFrom` is the first that fails. */
function counting(name: string, failsFrom = Infinity): Strategy & { evaluations: number[] } {
  const strategy = {
    ...strategyOfClass('AlwaysFlat'),
    name,
    startupCandles: 3,
    evaluations: [] as number[], // the candles it was given
    compute({ openTime }: { openTime: Float64Array }) {
      strategy.evaluations.push(openTime.length);
      if (strategy.evaluations.length >= failsFrom) throw new Error('it fails');
      return noSignals(openTime.length);
    },
  };
  return strategy;
}

test('bots with the same strategy and series share one evaluation; each receives the newest candle at once', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const strategy = counting('shared');
  const received: [bot: string, openTime: number][] = [];
  const first = feed.listen(aRowListener(), localSignals(strategy), {}, series, ({ openTime }) => received.push(['first', openTime]));
  const request = await market.request();
  request.answer('candles');
  await first;
  await feed.listen(aRowListener(), localSignals(strategy), {}, series, ({ openTime }) => received.push(['second', openTime]));
  const newest = market.now() - 60_000;
  expect(received).toEqual([
    ['first', newest],
    ['second', newest],
  ]);
  const passed = market.passMinute();
  expect(received.slice(2)).toEqual([
    ['first', passed],
    ['second', passed],
  ]);
  expect(strategy.evaluations).toEqual([53, 53]); // its warm-up and fifty more
});

test('a bot that begins to listen while the last other one ends receives candles', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const quiet = counting('quiet');
  const first = feed.listen(aRowListener(), localSignals(quiet), {}, series, () => {});
  await market.answer('candles');
  const endFirst = await first;
  const received: number[] = [];
  const second = feed.listen(aRowListener(), localSignals(quiet), {}, series, ({ openTime }) => received.push(openTime));
  endFirst();
  await second;
  const passed = market.passMinute();
  expect(received.at(-1)).toBe(passed);
});

test('a bot that begins to listen at the very moment at which the last other one ends receives candles', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const quiet = localSignals(counting('quiet'));
  for (let hops = 0; hops < 6; hops++) {
    const first = feed.listen(aRowListener(), quiet, {}, series, () => {});
    if (hops === 0) await market.answer('candles');
    const endFirst = await first;
    const received: number[] = [];
    const second = feed.listen(aRowListener('ben'), quiet, {}, series, ({ openTime }) => received.push(openTime));
    const endLater = (after: number): void => (after === 0 ? endFirst() : queueMicrotask(() => endLater(after - 1)));
    endLater(hops);
    const endSecond = await second;
    const passed = market.passMinute();
    expect(received.at(-1), `after ${hops} microtasks`).toBe(passed);
    endSecond();
  }
});

test('a strategy nobody listens to any more is not evaluated', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const strategy = counting('ended');
  const listening = feed.listen(aRowListener(), localSignals(strategy), {}, series, () => {});
  await market.answer('candles');
  (await listening)();
  market.passMinute();
  expect(strategy.evaluations).toHaveLength(1);
});

test('a strategy that fails on its first candles leaves no watcher behind, and may be tried again', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, () => {});
  const failing = counting('failing', 1);
  const listening = feed.listen(aRowListener(), localSignals(failing), {}, series, () => {});
  listening.catch(() => {});
  await market.answer('candles');
  await expect(listening).rejects.toThrow('it fails');
  market.passMinute();
  expect(failing.evaluations).toHaveLength(1);
  await expect(feed.listen(aRowListener(), localSignals(failing), {}, series, () => {})).rejects.toThrow('it fails');
  expect(failing.evaluations).toHaveLength(2);
});

test('a strategy that fails on a candle is reported; another one of the same series receives it, and its own bots no old row', async () => {
  const market = handMarket();
  const errors: string[] = [];
  const feed = new SignalFeed(market.windows, (error) => errors.push(String(error)));
  const received: string[] = [];
  const failing = feed.listen(aRowListener(), localSignals(counting('failing', 2)), {}, series, () => received.push('failing'));
  await market.answer('candles');
  await failing;
  await feed.listen(aRowListener(), localSignals(counting('sound')), {}, series, () => received.push('sound'));
  received.length = 0;
  market.passMinute();
  expect(errors).toEqual(['Error: it fails']);
  expect(received).toEqual(['sound']);
});

test('a series without a closed candle is reported from its first one on', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const received: number[] = [];
  const listening = feed.listen(aRowListener(), localSignals(counting('new')), {}, series, ({ openTime }) => received.push(openTime));
  await market.answer('candles', []);
  await market.answer('candles', []); // nor was anything traded before
  await listening;
  expect(received).toEqual([]);
  const passed = market.passMinute();
  expect(received).toEqual([passed]);
});

test('of two bots one that ends leaves the other its candles, and one that ends twice leaves all others theirs', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const strategy = counting('left');
  const received: number[] = [];
  const first = feed.listen(aRowListener(), localSignals(strategy), {}, series, () => {});
  await market.answer('candles');
  const endFirst = await first;
  const endSecond = await feed.listen(aRowListener(), localSignals(strategy), {}, series, ({ openTime }) => received.push(openTime));
  endFirst();
  const passed = market.passMinute();
  expect(received.at(-1)).toBe(passed);
  endSecond();
  await feed.listen(aRowListener(), localSignals(strategy), {}, series, () => {});
  endSecond();
  const before = strategy.evaluations.length;
  await feed.listen(aRowListener(), localSignals(strategy), {}, series, () => {});
  expect(strategy.evaluations).toHaveLength(before); // it shares that of the one before
});

test('bots with other parameters share nothing but the candles, those with the same share one evaluation however they name them', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const given: string[] = [];
  const strategy: Strategy = {
    ...strategyOfClass('AlwaysFlat'),
    startupCandles: 3,
    compute({ openTime }, parameters) {
      given.push(JSON.stringify(parameters));
      return { ...noSignals(openTime.length), enterLong: new Uint8Array(openTime.length).fill(parameters['fast'] === 8 ? 1 : 0) };
    },
  };
  const entered: Record<string, boolean> = {};
  const listen = (name: string, parameters: Record<string, number>) =>
    feed.listen(aRowListener(), localSignals(strategy), parameters, series, (_, row) => (entered[name] = row.enterLong));
  const first = listen('inherits', { fast: 12, slow: 26 });
  await market.answer('candles');
  await first;
  await listen('own', { fast: 8, slow: 26 });
  const end = await listen('the same, named the other way round', { slow: 26, fast: 8 });
  expect(given).toEqual(['{"fast":12,"slow":26}', '{"fast":8,"slow":26}']);
  expect(entered).toEqual({ inherits: false, own: true, 'the same, named the other way round': true });
  market.passMinute();
  expect(given).toHaveLength(4);
  end();
  market.passMinute();
  expect(given).toHaveLength(6); // the other one with these parameters still listens
});

test('after any time without a candle a bot that runs decides with as many candles as ever, those of the gap flat', async () => {
  const given: CandleColumns[] = [];
  const strategy: Strategy = {
    ...strategyOfClass('AlwaysFlat'),
    startupCandles: 3,
    compute(candles) {
      given.push(candles);
      return noSignals(candles.openTime.length);
    },
  };
  const market = handMarket();
  const listening = new SignalFeed(market.windows, (error) => expect.fail(String(error))).listen(
    aRowListener(),
    localSignals(strategy),
    {},
    series,
    () => {},
  );
  const request = await market.request();
  const before = { ...candleAt(market.now() - minuteMs), close: 7 };
  request.answer('candles', [before]);
  await market.answer('candles', []);
  await listening;
  market.pass(30 * dayMs);
  const back = market.now();
  market.pass(4 * minuteMs);
  for (const i of [0, 1, 3]) market.report(series.symbol, candleAt(back + i * minuteMs)); // nothing was traded in one of them
  expect(given.slice(1).map(({ openTime }) => [openTime.length, openTime.at(-1)])).toEqual([0, 1, 3].map((i) => [53, back + i * minuteMs]));
  const { openTime, close, volume } = given.at(-1)!;
  expect([...openTime]).toEqual(Array.from({ length: 53 }, (_, i) => back + (i - 49) * minuteMs));
  expect(close.slice(0, 49)).toEqual(new Float64Array(49).fill(before.close));
  expect(volume.slice(0, 49)).toEqual(new Float64Array(49));
});

test('a bot that starts after hours without a candle decides with the candles of one that has run all the while', async () => {
  const given: CandleColumns[] = [];
  const strategy: Strategy = {
    ...strategyOfClass('AlwaysFlat'),
    startupCandles: 3,
    compute(candles) {
      given.push(candles);
      return noSignals(candles.openTime.length);
    },
  };
  const listen = (market: ReturnType<typeof handMarket>) =>
    new SignalFeed(market.windows, (error) => expect.fail(String(error))).listen(
      aRowListener(),
      localSignals(strategy),
      {},
      series,
      () => {},
    );
  const market = handMarket();
  const traded = Array.from({ length: 60 }, (_, i) => ({ ...candleAt(market.now() - (60 - i) * minuteMs), close: 2 + i }));
  const running = listen(market);
  await market.answer('candles', traded.slice(-53));
  await running;
  market.pass(5 * hourMs);
  const late = handMarket();
  late.pass(5 * hourMs);
  const starting = listen(late);
  await late.answer('candles', []);
  await late.answer('candles', traded);
  await starting;
  expect(late.waiting()).toBe(0);
  expect(given[1]).toEqual(given[0]);
  const back = market.now();
  for (const each of [market, late]) each.report(series.symbol, candleAt(back));
  expect(given[2]?.close.at(-2)).toBe(61);
  expect(given[3]).toEqual(given[2]);
});

/** Turns of a machine on which each calculation takes 20 ms, so that whatever comes together waits. `pass` lets ms pass in which nothing is made. */
function slowTurns() {
  let used = 0; // ms
  let time = 0; // ms
  const turns = new Turns(
    () => time,
    () => (used += 20),
  );
  return { turns, pass: (ms: number) => (time += ms) };
}

test('a row that had to wait is computed with the candles of its time, and reported in the sequence of its candles', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)), { turns: slowTurns().turns });
  const given: (number | undefined)[] = [];
  const strategy: Strategy = {
    ...strategyOfClass('AlwaysFlat'),
    startupCandles: 3,
    compute({ openTime }) {
      given.push(openTime.at(-1));
      return noSignals(openTime.length);
    },
  };
  const received: number[] = [];
  const listening = feed.listen(aRowListener(), localSignals(strategy), {}, series, ({ openTime }) => received.push(openTime));
  await market.answer('candles');
  await listening;
  await nextPass();
  const passed = Array.from({ length: 4 }, () => market.passMinute());
  expect(received.slice(1)).toEqual([passed[0]]); // the others wait for their turn
  await expect.poll(() => received.slice(1)).toEqual(passed);
  expect(given.slice(1)).toEqual(passed);
});

/** A feed whose turns are slow, and what keeps `anna` busy: 100 calculations. */
function busyFeed(market: ReturnType<typeof handMarket>) {
  const { turns, pass } = slowTurns();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)), { turns });
  const others = { made: 0 };
  const addWork = (canWait = false) => {
    for (let i = 0; i < 100; i++) turns.take(['anna'], () => (others.made += 1), { patienceMs: Infinity, late: () => 0, canWait });
  };
  return { feed, pass, others, addWork };
}

test('a row whose turn comes too late says so and enters nothing; the first one of a bot is never too late', async () => {
  const market = handMarket();
  const { feed, pass, others, addWork } = busyFeed(market);
  const strategy = counting('late');
  const failures: (string | undefined)[] = [];
  addWork();
  const listening = feed.listen(aRowListener(), localSignals(strategy), {}, series, (_, row) => failures.push(row.failure));
  await market.answer('candles');
  await nextPass();
  expect(others.made).toBeLessThan(100); // the first row waits
  pass(3_600_000);
  await listening;
  await nextPass();
  for (let i = 0; i < 3; i++) market.passMinute();
  pass(10_000);
  await expect.poll(() => failures).toHaveLength(4);
  for (let i = 0; i < 3; i++) market.passMinute();
  pass(10_001);
  await expect.poll(() => failures).toHaveLength(7);
  const late = expect.stringMatching(/^There was too much to calculate: it was not the turn of this candle for 10 seconds\. /u) as string;
  expect(failures).toEqual([undefined, undefined, undefined, undefined, undefined, late, late]);
  expect(strategy.evaluations).toHaveLength(5);
  // Who joins now was not late: the row is computed for them, once.
  await Promise.all(
    ['ben', 'cleo'].map((each) =>
      feed.listen(aRowListener(each), localSignals(strategy), {}, series, (_, row) => failures.push(row.failure)),
    ),
  );
  expect([failures.slice(7), strategy.evaluations.length]).toEqual([[undefined, undefined], 6]);
  await nextPass();
  market.passMinute();
  await expect.poll(() => failures.slice(9)).toEqual([undefined, undefined, undefined]);
});

test('a bot that begins while the next candle closes receives its row, though that was late', async () => {
  const market = handMarket();
  const { feed, pass, addWork } = busyFeed(market);
  const received: [openTime: number, failure: string | undefined][] = [];
  addWork();
  const listening = feed.listen(aRowListener(), localSignals(counting('begins')), {}, series, ({ openTime }, { failure }) =>
    received.push([openTime, failure]),
  );
  await market.answer('candles');
  await nextPass();
  const passed = market.passMinute();
  pass(10_001);
  await listening;
  expect(received).toEqual([[passed, undefined]]);
});

test('no row is asked for after that of a newer candle, and who joins meanwhile receives the newer one', async () => {
  const market = handMarket();
  const { feed, pass, addWork } = busyFeed(market);
  const local = localSignals(counting('kept'));
  const asked: number[] = [];
  const signals: SignalSource = {
    ...local,
    async rowOf(...given) {
      asked.push(given[0].openTime.at(-1) ?? 0);
      for (let i = 0; i < 150; i++) await nextPass(); // a process answers later
      return await local.rowOf(...given);
    },
  };
  const received: [owner: string, openTime: number, failure: string | undefined][] = [];
  const listen = (owner: string) =>
    feed.listen(aRowListener(owner), signals, {}, series, ({ openTime }, { failure }) => received.push([owner, openTime, failure]));
  addWork();
  const first = listen('anna');
  await market.answer('candles');
  await nextPass();
  const begun = market.passMinute(); // while the first row waits
  await first;
  expect(received).toEqual([['anna', begun, undefined]]);
  addWork();
  const late = market.passMinute();
  pass(10_001);
  await expect.poll(() => received.at(-1)).toEqual(['anna', late, expect.stringContaining('too much to calculate')]);
  addWork();
  const joining = listen('ben');
  await nextPass();
  const newest = market.passMinute();
  await joining;
  await expect.poll(() => received.filter(([owner]) => owner === 'ben')).toEqual([['ben', newest, undefined]]);
  expect(asked).toEqual([begun, newest]);
});

test.each(['overtaken', 'late, too'])(
  'who joins while a late row is made again, which is %s, receives none that nobody made',
  async (what) => {
    const market = handMarket();
    const { turns, pass } = slowTurns();
    const errors: string[] = [];
    const feed = new SignalFeed(market.windows, (error) => errors.push(String(error)), { turns });
    const addWork = () => {
      for (let i = 0; i < 30; i++) turns.take(['anna'], () => null, { patienceMs: Infinity, late: () => null });
    };
    let throws = false;
    const strategy = localSignals({
      ...counting('throws'),
      compute({ openTime }) {
        if (throws) throw new Error('it fails');
        return noSignals(openTime.length);
      },
    });
    const received: [owner: string, failure: string | undefined][] = [];
    const listen = (owner: string) =>
      feed.listen(aRowListener(owner), strategy, {}, series, (_, { failure }) => received.push([owner, failure]));
    const first = listen('anna');
    await market.answer('candles');
    await first;
    addWork();
    market.passMinute();
    pass(10_001);
    await expect.poll(() => received).toHaveLength(2);
    addWork();
    const joining = listen('ben');
    await nextPass();
    throws = true;
    market.passMinute();
    if (what === 'late, too') pass(10_001);
    await joining;
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    expect(received.filter(([owner]) => owner === 'ben')).toEqual([]);
    throws = false;
    await nextPass();
    market.passMinute();
    await expect.poll(() => Object.fromEntries(received.slice(-2))).toEqual({ anna: undefined, ben: undefined });
  },
);

test('who joins where the newest row has failed is asked for, once; where that fails, too, they begin without it', async () => {
  const market = handMarket();
  const errors: string[] = [];
  const feed = new SignalFeed(market.windows, (error) => errors.push(String(error)));
  const local = localSignals(counting('fails'));
  const rest = 'The strategy rests.';
  let answer: 'rests' | 'throws' | 'answers' = 'answers';
  let asked = 0;
  const askedFor: string[] = [];
  const signals: SignalSource = {
    ...local,
    async rowOf(...given) {
      asked += 1;
      askedFor.push(given[4].map(({ botId }) => botId).join(' '));
      if (answer === 'rests') return failedRow(rest);
      if (answer === 'throws') throw new Error('it fails');
      return await local.rowOf(...given);
    },
  };
  const received: (string | undefined)[] = [];
  const listen = (owner: string) => feed.listen(aRowListener(owner), signals, {}, series, (_, { failure }) => received.push(failure));
  const first = listen('anna');
  await market.answer('candles');
  await first;
  answer = 'rests';
  market.passMinute();
  await expect.poll(() => received).toEqual([undefined, rest]);
  answer = 'answers'; // as for one that starts again
  await Promise.all([listen('ben'), listen('cleo')]);
  expect([received.slice(2), asked]).toEqual([[undefined, undefined], 3]);
  expect(askedFor).toEqual(['bot of anna', 'bot of anna', 'bot of ben bot of cleo']); // what fails again does not count for anna
  answer = 'rests';
  market.passMinute();
  await expect.poll(() => received).toHaveLength(7);
  answer = 'throws';
  await listen('dora');
  await listen('emil');
  expect([received.length, errors, asked]).toEqual([7, ['Error: it fails'], 5]);
  answer = 'answers';
  market.passMinute();
  await expect.poll(() => received.slice(7)).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test('a bot for which its strategy rests decides nothing, also where others have rows of the same', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const shared = localSignals(counting('shared'));
  const received: [owner: string, failure: string | undefined, close: number | undefined][] = [];
  const listen = (bot: RowListener) =>
    feed.listen(bot, shared, {}, series, (_, row) => received.push([bot.owner, row.failure, row.candle?.[3]]));
  const anna = aRowListener();
  const first = listen(anna);
  await market.answer('candles');
  await first;
  await listen(aRowListener('ben'));
  anna.asker.failed('callbacks', new StrategyError('It fails.'), 1);
  received.length = 0;
  market.passMinute();
  const rest = 'The strategy rests after 1 failures in a row. The last: It fails.';
  expect(received).toEqual([
    ['anna', rest, 1],
    ['ben', undefined, 1],
  ]);
  const again = { owner: 'anna', asker: anna.asker };
  await listen(again);
  expect(received.at(-1)).toEqual(['anna', rest, 1]);
});

test('whoever shares a row does not wait for all that another of those who share it has to calculate', async () => {
  const market = handMarket();
  const { feed, others, addWork } = busyFeed(market);
  const shared = localSignals(counting('shared'));
  addWork();
  addWork(true);
  const received: string[] = [];
  const madeBefore: number[] = []; // when ben received a row
  const first = feed.listen(aRowListener(), shared, {}, series, () => received.push('anna'));
  await market.answer('candles');
  await nextPass();
  await nextPass();
  expect([received, others.made < 20]).toEqual([[], true]); // it waits
  const second = feed.listen(aRowListener('ben'), shared, {}, series, () => void (received.push('ben'), madeBefore.push(others.made)));
  const [, endBen] = await Promise.all([first, second]);
  market.passMinute();
  await expect.poll(() => received).toHaveLength(4);
  expect(madeBefore[0]).toBeLessThan(30);
  expect((madeBefore[1] ?? NaN) - (madeBefore[0] ?? NaN)).toBeLessThan(20);
  endBen(); // from now on the row is only anna's
  endBen();
  addWork();
  let madeAlone = 0;
  await feed.listen(aRowListener(), shared, {}, series, () => (madeAlone = others.made));
  market.passMinute();
  await expect.poll(() => received, { timeout: 60_000 }).toHaveLength(5);
  expect(madeAlone).toBeGreaterThanOrEqual(200);
});

test('what bots begin with waits for the rows that others decide on now; a row that nobody wants any more is not computed', async () => {
  const market = handMarket();
  const { feed, others, addWork } = busyFeed(market);
  const madeBefore: number[] = []; // when a row was received
  const strategy = counting('running');
  const listening = feed.listen(aRowListener(), localSignals(strategy), {}, series, () => madeBefore.push(others.made));
  await market.answer('candles');
  const end = await listening;
  addWork(true); // of bots that start
  market.passMinute();
  await expect.poll(() => madeBefore).toHaveLength(2);
  expect(madeBefore[1]).toBeLessThan(20);
  addWork(true);
  market.passMinute();
  end();
  await expect.poll(() => others.made).toBe(200);
  expect([strategy.evaluations.length, madeBefore.length]).toEqual([2, 2]);
});

test('a row is asked for on behalf of all bots that listen to it, and of no other', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const asked: string[] = [];
  const local = localSignals(counting('asked'));
  const signals: SignalSource = {
    ...local,
    rowOf(candles, parameters, of, others, askers) {
      asked.push(askers.map(({ botId }) => botId).join(' '));
      return local.rowOf(candles, parameters, of, others, askers);
    },
  };
  const [anna, ben] = [aRowListener(), aRowListener('ben')];
  const first = feed.listen(anna, signals, {}, series, () => {});
  await market.answer('candles');
  const endAnna = await first;
  const endBen = await feed.listen(ben, signals, {}, series, () => {});
  market.passMinute();
  endAnna();
  endAnna();
  market.passMinute();
  endBen();
  expect(asked).toEqual(['bot of anna', 'bot of anna bot of ben', 'bot of ben']);
});

/** A strategy in a process of its own, as it were: for whom each row is asked for, and what `answerTo` them is given where it is not the row. */
function askedFor(name: string, answerTo: (bots: readonly string[]) => SignalRow | Promise<SignalRow> | undefined) {
  const local = localSignals(counting(name));
  const asked: string[] = [];
  const signals: SignalSource = {
    ...local,
    async rowOf(...given) {
      const bots = given[4].map(({ botId }) => botId.replace('bot of ', ''));
      asked.push(bots.join(' '));
      return await (answerTo(bots) ?? local.rowOf(...given));
    },
  };
  return { signals, asked };
}

test('a first row that has failed is given to those for whom it was asked; whoever joins is asked for, and so is the next where that fails, too', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const failures: Record<string, string> = { anna: 'The strategy rests.', ben: 'It fails.' };
  const { signals, asked } = askedFor('first', ([bot = '']) => (failures[bot] === undefined ? undefined : failedRow(failures[bot])));
  const received: [owner: string, failure: string | undefined][] = [];
  const listen = (owner: string) =>
    feed.listen(aRowListener(owner), signals, {}, series, (_, { failure }) => received.push([owner, failure]));
  const first = listen('anna');
  await market.answer('candles');
  await first;
  await listen('ben');
  await Promise.all([listen('cleo'), listen('dora')]);
  await listen('emil');
  expect(received).toEqual([
    ['anna', 'The strategy rests.'],
    ['ben', 'It fails.'],
    ['cleo', undefined],
    ['dora', undefined],
    ['emil', undefined],
  ]);
  expect(asked).toEqual(['anna', 'ben', 'cleo dora']);
  failures['anna'] = 'It fails again.';
  market.passMinute();
  await expect.poll(() => received.slice(5)).toEqual(['anna', 'ben', 'cleo', 'dora', 'emil'].map((each) => [each, 'It fails again.']));
  expect(asked.slice(3)).toEqual(['anna ben cleo dora emil']);
});

test('a first row for which the candle of another pair was late is made for who joins once it is there; who began waits no second time', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)), { patienceMs: 30 });
  const { signals, asked } = askedFor('late pair', () => undefined);
  const reading: SignalSource = { ...signals, reads: () => [{ name: 'other', series: { ...series, symbol: 'ETH/USDT' } }] };
  const received: [owner: string, failure: string | undefined][] = [];
  const listen = (owner: string) =>
    feed.listen(aRowListener(owner), reading, {}, series, (_, { failure }) => received.push([owner, failure]));
  const first = listen('anna');
  await market.answer('candles'); // of the other pair
  const request = await market.request();
  const newest = market.now();
  market.pass(minuteMs);
  request.answer('candles'); // with one more
  await first;
  const late = expect.stringContaining('which the strategy reads, had not closed after 0.03 seconds') as string;
  expect([received, asked]).toEqual([[['anna', late]], []]);
  await listen('ben');
  expect([received.slice(1), asked]).toEqual([[['ben', late]], []]); // they have waited for it, too
  market.report('ETH/USDT', candleAt(newest));
  await listen('cleo');
  expect([received.slice(2), asked]).toEqual([[['cleo', undefined]], ['cleo']]);
  const next = market.now();
  market.pass(minuteMs);
  market.report(series.symbol, candleAt(next));
  await expect.poll(() => received.slice(3)).toEqual(['anna', 'ben', 'cleo'].map((each) => [each, late]));
  market.report('ETH/USDT', candleAt(next));
  await listen('dora');
  expect([received.slice(6), asked]).toEqual([[['dora', undefined]], ['cleo', 'dora']]);
});

test('however many join where a strategy fails are asked for together, each once for a candle', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const waiting: ((row: SignalRow) => void)[] = [];
  const { signals, asked } = askedFor('hangs', async () => new Promise((resolve) => waiting.push(resolve)));
  const fail = async (failure: string) => {
    await expect.poll(() => waiting).toHaveLength(1);
    waiting.shift()?.(failedRow(failure));
  };
  const received: [owner: string, failure: string | undefined][] = [];
  const listen = (owner: string) =>
    feed.listen(aRowListener(owner), signals, {}, series, (_, { failure }) => received.push([owner, failure]));
  const first = listen('anna');
  await market.answer('candles');
  await expect.poll(() => asked).toEqual(['anna']);
  const early = ['ben', 'cleo'].map(listen);
  await fail('The first.');
  await first;
  await expect.poll(() => asked).toEqual(['anna', 'ben cleo']);
  const later = ['dora', 'emil'].map(listen);
  await fail('The second.');
  await Promise.all(early);
  await expect.poll(() => asked).toEqual(['anna', 'ben cleo', 'dora emil']);
  market.passMinute(); // dora and emil are about to listen
  await expect.poll(() => waiting).toHaveLength(2);
  waiting.pop()?.(failedRow('Of the next candle.'));
  await expect.poll(() => received.filter(([, failure]) => failure === 'Of the next candle.')).toHaveLength(3);
  await fail('The third.');
  await Promise.all(later);
  expect(asked).toEqual(['anna', 'ben cleo', 'dora emil', 'anna ben cleo dora emil']);
  expect(received).toEqual([
    ['anna', 'The first.'],
    ['ben', 'The second.'],
    ['cleo', 'The second.'],
    ...['anna', 'ben', 'cleo', 'dora', 'emil'].map((each) => [each, 'Of the next candle.']),
  ]);
});
