import { describe, expect, test } from 'vitest';
import { aStudy, someDimensions, someEpochs, studyFacts } from '../../testing/samples/studies.ts';
import { niceTicks } from './nice-ticks.ts';
import type { Tried } from './study-figures.ts';
import { bestOf, cellsOf, lossMap, nearbyOf, onPlateau, triedOf } from './study-figures.ts';
import { measureOf, measureText, tradesText, turnedText, verdictOf } from './study-words.ts';
import { tryForBot } from './try-for-bot.ts';
import type { Epoch } from './use-studies.ts';

const figures = someEpochs(1)[0]?.figures ?? null;
const tried = (points: [number[], number][]) =>
  triedOf(points.map(([point, loss], i) => ({ epoch: i + 1, point, loss, figures, fault: null })));

describe('what is drawn of a study', () => {
  test('tries without a loss are in no figure; of equal ones the earlier is the better', () => {
    expect(triedOf(someEpochs()).length).toBe(71);
    const best = bestOf(
      tried([
        [[1], 2],
        [[2], 1],
        [[3], 1],
      ]),
      2,
    );
    expect(best.map(({ epoch }) => epoch)).toEqual([2, 3]);
  });

  test('a cell of the map is the middle of its tries, and says from which value on it begins', () => {
    const across = { name: 'a', space: 'buy' as const, min: 10, max: 37, step: 1 };
    const down = { name: 'b', space: 'buy' as const, min: 0, max: 1, step: 1 };
    const cells = lossMap(
      [across, down],
      tried([
        [[0, 0], 5],
        [[1, 0], 1],
        [[0, 0], 3],
        [[27, 1], 9],
      ]),
      0,
      1,
    );
    expect(cells).toEqual([
      { column: 0, row: 0, count: 3, median: 3 },
      { column: 13, row: 1, count: 1, median: 9 },
    ]);
    const { count, firstValueOf } = cellsOf(across);
    expect([count, firstValueOf(0), firstValueOf(1), firstValueOf(13)]).toEqual([14, 10, 12, 36]);
  });

  test('ticks are round and within the range', () => {
    expect(niceTicks(-0.17, 0.04, 5)).toEqual([-0.15, -0.1, -0.05, 0]);
    expect(niceTicks(0, 0, 5)).toEqual([]);
  });
});

describe('words of a study', () => {
  test('a loss that is a measure turned round is shown as the measure', () => {
    expect(measureOf('SharpeHyperOptLossDaily')).toEqual({ title: 'Sharpe', sign: -1 });
    expect(measureText(-1.523, -1)).toBe('1.52');
    expect(measureText(-Number.MAX_VALUE, -1)).toBe('∞');
    expect(measureOf('ShortTradeDurHyperOptLoss')).toEqual({ title: 'Loss', sign: 1 });
  });

  test('what an epoch turned reads as a person would say it', () => {
    expect(turnedText(someDimensions, [12, 34, -0.081])).toBe('Fast Period 12, Slow Period 34, Stop Loss -8.1%');
  });

  test('only what stands every test is more than luck', () => {
    const judgement = studyFacts().judgement!;
    const good = {
      ...judgement,
      overfitting: { probability: 0.1, splits: 924 },
      neighbourhood: { count: 6, median_profit_ratio: 0.03, is_plateau: true },
      doubled_fees: { ...judgement.doubled_fees!, profit: 5 },
    };
    const luck = { sharpe: 3, luckiest: 1, probability: 0.97 };
    const [, won] = someEpochs(33);
    const best = (profit: number) => ({ ...won, figures: { ...won.figures!, profit } });
    const verdict = (changes: object, probability = 0.97, profit = 45) =>
      verdictOf(studyFacts({ luck: { ...luck, probability }, judgement: { ...good, ...changes } }), best(profit))?.title;
    expect(verdict({})).toBe('More than luck');
    expect(verdict({}, 0.9)).toBe('Perhaps more than luck');
    expect(verdict({}, 0.7)).toBe('Probably luck');
    expect(verdict({ overfitting: { probability: 0.5, splits: 924 } })).toBe('Perhaps more than luck');
    expect(verdict({ neighbourhood: { ...good.neighbourhood, is_plateau: false } })).toBe('Perhaps more than luck');
    expect(verdict({ doubled_fees: { ...good.doubled_fees, profit: -1 } })).toBe('Perhaps more than luck');
    // What nothing was said of yet, or cannot be, has not stood its tests.
    expect(verdict({ overfitting: null })).toBe('Perhaps more than luck');
    const unjudged = studyFacts({ luck: { ...luck, probability: 0.99 }, judgement: null });
    expect(verdictOf(unjudged, best(45))).toEqual({ title: 'Perhaps more than luck', isGood: false });
    expect(verdictOf({ ...unjudged, luck: { ...luck, probability: 0.5 } }, best(45))?.title).toBe('Probably luck');
    // What loses is not lucky, however many were tried.
    expect(verdict({}, 0.97, -30)).toBe('Even the best try makes no profit');
    expect(verdict({}, 0.01, 0)).toBe('Even the best try makes no profit');
    expect(verdictOf(studyFacts({ luck: null }), null)).toBeNull();
  });

  test('where no try has a result, how many trades they made', () => {
    const made = (...trades: number[]): Epoch[] =>
      trades.map((each, i) => ({ ...someEpochs(i + 1)[i], loss: null, figures: { ...someEpochs(1)[0].figures!, trades: each } }));
    expect(tradesText(made(3, 21, 8))).toBe('The tries made 3 to 21 trades each.');
    expect(tradesText(made(1, 1))).toBe('The tries made 1 trade each.');
    expect(tradesText(made(0, 0))).toBe('No try made a trade.');
    expect(tradesText([{ ...someEpochs(7)[6] }])).toBe('No try has come to an end.');
  });
});

describe('the tries near a try', () => {
  const figures = someEpochs(1)[0].figures!;
  const at = (epoch: number, point: number[], ratio: number): Tried => ({
    epoch,
    point,
    loss: -ratio,
    figures: { ...figures, profit: ratio * 1_000, profit_ratio: ratio },
    fault: null,
  });
  // 21, 35 and 331 values: near is at most 2, 4 and 33 away.
  const middle = at(1, [10, 10, 100], 0.04);

  test('are those whose every number lies within a tenth of its range, itself not among them', () => {
    const near = [0.01, 0.02, 0.03, 0.03, 0.05].map((ratio, i) => at(2 + i, [8 + i, 6 + 2 * i, i % 2 === 0 ? 67 : 133], ratio));
    const far = [at(7, [13, 10, 100], 9), at(8, [10, 15, 100], 9), at(9, [10, 10, 134], 9)];
    expect(nearbyOf(someDimensions, [middle, ...near, ...far], middle)).toEqual({ count: 5, medianProfitRatio: 0.03, isPlateau: true });
    // Four say nothing.
    expect(nearbyOf(someDimensions, [middle, ...near.slice(1), ...far], middle)).toBeNull();
    const poor = near.map((each) => at(each.epoch, each.point, 0.019));
    expect(nearbyOf(someDimensions, [middle, ...poor], middle)?.isPlateau).toBe(false);
  });

  test('that keep most of a profit are a plateau: the first of the best that stands on one', () => {
    const around = (isPlateau: boolean) => ({ count: 9, medianProfitRatio: 0.03, isPlateau });
    const best = [middle, at(2, [0, 0, 0], 0.03), at(3, [1, 1, 1], -0.01), at(4, [2, 2, 2], 0.02)];
    const nearby = new Map([
      [1, around(false)],
      [2, null],
      [3, around(true)],
      [4, around(true)],
    ]);
    expect(onPlateau(best, nearby)).toEqual({ epoch: 4, nearby: around(true) });
    expect(onPlateau(best.slice(0, 3), nearby)).toBeNull();
  });
});

describe('a try for a bot', () => {
  test('has what it turned, and else what the study began with', () => {
    const study = aStudy();
    expect(tryForBot(study, { point: [7, 8, 250] })).toEqual({
      strategyId: study.strategy_id,
      exchangeId: 'sandbox',
      marketType: 'spot',
      pairs: ['BTC/USDT', 'ETH/USDT'],
      stakeAmount: 500,
      maxOpenTrades: 2,
      isMaxOpenTradesTurned: false,
      leverage: 1,
      own: { timeframe: '15m', stoploss: -0.1, parameters: { fastPeriod: 12, slowPeriod: 34 } },
    });
    const ofBot = aStudy({
      bot: {
        id: 'b',
        nickname: 'Tight',
        leverage: 1,
        leverage_mode: 'isolated',
        stoploss: -0.02,
        minimal_roi: { 0: 0.03 },
        trailing_stop: false,
        trailing_stop_positive: null,
        trailing_stop_positive_offset: 0,
        trailing_only_offset_is_reached: false,
        max_consecutive_losses: 4,
        risk_reward_ratio: 2,
        order_types: { entry: 'market' },
        order_time_in_force: { entry: 'GTC' },
        parameters: { fastPeriod: 3, other: 9 },
      },
    });
    expect(tryForBot(ofBot, { point: [7, 8, 250] }).own).toEqual({
      timeframe: '15m',
      stoploss: -0.1,
      minimal_roi: { 0: 0.03 },
      trailing: {
        trailing_stop: false,
        trailing_stop_positive: 0,
        trailing_stop_positive_offset: 0,
        trailing_only_offset_is_reached: false,
      },
      max_consecutive_losses: 4,
      risk_reward_ratio: 2,
      order_types: { entry: 'market' },
      order_time_in_force: { entry: 'GTC' },
      parameters: { fastPeriod: 12, slowPeriod: 34, other: 9 },
    });
  });

  test('a table of profits, a trailing stop and no limit of trades are what a bot may have', () => {
    const dimensions = [
      ...(['roi_t1', 'roi_t2', 'roi_t3'] as const).map((name) => ({ name, space: 'roi' as const, min: 10, max: 100, step: 1 })),
      ...(['roi_p1', 'roi_p2', 'roi_p3'] as const).map((name) => ({ name, space: 'roi' as const, min: 0.01, max: 0.2, step: 0.001 })),
      { name: 'trailing_stop_positive', space: 'trailing' as const, min: 0.01, max: 0.35, step: 0.001 },
      { name: 'trailing_stop_positive_offset_p1', space: 'trailing' as const, min: 0.001, max: 0.1, step: 0.001 },
      { name: 'trailing_only_offset_is_reached', space: 'trailing' as const, min: 0, max: 1, step: 1 },
      { name: 'max_open_trades', space: 'trades' as const, min: -1, max: 10, step: 1 },
    ];
    const { own, maxOpenTrades, isMaxOpenTradesTurned } = tryForBot(aStudy({ dimensions }), { point: [0, 1, 2, 0, 5, 10, 5, 9, 1, 0] });
    expect(own.minimal_roi).toEqual({ 0: 0.045, 12: 0.025, 23: 0.01, 33: 0 });
    expect(own.trailing).toEqual({
      trailing_stop: true,
      trailing_stop_positive: 0.015,
      trailing_stop_positive_offset: 0.025,
      trailing_only_offset_is_reached: true,
    });
    expect([maxOpenTrades, isMaxOpenTradesTurned]).toEqual([2, true]);
  });
});
