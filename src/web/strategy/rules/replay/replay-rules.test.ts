import type { MarketHistory } from '#contract/packed-history.ts';
import { packHistory, unpackHistory } from '#contract/packed-history.ts';
import { fingerprintLines } from '#engine/backtest/fingerprint.ts';
import { fundingColumns } from '#engine/account/funding.ts';
import type { Trade } from '#engine/account/trade.ts';
import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { dayMs, hourMs } from '#engine/market/durations.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { compileRules } from '#engine/rules/compile-rules.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { settingsOf, valuesOf } from '#runner/bots/bot-settings.ts';
import { runTask } from '#runner/jobs/run-task.ts';
import type { StrategyTerms } from '#storage/strategies/strategy-values.ts';
import { describe, expect, test } from 'vitest';
import { replayRules } from './replay-rules.ts';
import { holdingOf, summaryOf } from './replay-summary.ts';

// 90 days of each timeframe would take minutes for those of one minute; so many candles show the same.
const length = 12_000;
const warmUp = 5_000;

/** A perpetual with funding every eight hours, as it travels to the browser. */
function history({ defaults }: RulesDocument): MarketHistory {
  const stepMs = timeframeLengths[defaults.timeframe];
  const candles = randomWalk({ length, seed: 11, stepMs });
  const [from, to] = [candles.openTime[warmUp], candles.openTime[length - 1] + stepMs];
  const instrument = anInstrument({
    symbol: 'BTC/USDT:USDT',
    marketType: 'futures',
    maxLeverage: 20,
    minCost: 5,
    leverageTiers: [{ minNotional: 0, maxNotional: Infinity, maxLeverage: 20, maintenanceRate: 0.01, maintenanceAmount: 0 }],
  });
  const first = Math.ceil(from / (8 * hourMs)) * 8 * hourMs;
  const events = Array.from({ length: Math.floor((to - first) / (8 * hourMs)) }, (_, i) => ({
    time: first + i * 8 * hourMs,
    rate: i % 3 === 0 ? -0.0002 : 0.0001,
    mark: 100 + (i % 7),
  }));
  return unpackHistory(packHistory({ instrument, from, to, candles, funding: fundingColumns(events) }).buffer);
}

/** The settings of a strategy as the server enters one that suggests these. */
function termsOf({ defaults }: RulesDocument): StrategyTerms {
  return {
    defaultTimeframe: defaults.timeframe,
    stoploss: String(defaults.stoploss),
    trailingStop: defaults.trailingStop,
    trailingStopPositive: defaults.trailingStopPositive === null ? null : String(defaults.trailingStopPositive),
    trailingStopPositiveOffset: String(defaults.trailingStopPositiveOffset),
    trailingOnlyOffsetIsReached: defaults.trailingOnlyOffsetIsReached,
    maxConsecutiveLosses: 5,
    riskRewardRatio: null,
    minimalRoi: defaults.minimalRoi,
    orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market' },
    orderTimeInForce: { entry: 'GTC', exit: 'GTC' },
  };
}

/** The server's backtest of the document, with the stake and slots of a replay. */
function runOnServer(document: RulesDocument, { instrument, candles, funding, from, to }: MarketHistory, slots: number) {
  const strategy = compileRules(document);
  const { timeframe } = document.defaults;
  const { parameters, ...values } = valuesOf({ ownSettings: {} }, termsOf(document), strategy);
  const stake = { leverage: '1', leverageMode: 'isolated', stakeAmount: '300', maxOpenTrades: slots, startingBalance: String(300 * slots) };
  const settings = settingsOf({ exchangeId: 'binance', marketType: 'futures', ...stake } as never, values, strategy);
  const task = {
    strategyClass: '',
    code: null,
    python: null,
    others: {},
    parameters,
    settings,
    instrument,
    timeframe,
    candles,
    funding,
    from,
    to,
  };
  return runTask(strategy, task, () => {}).result;
}

function onServer(document: RulesDocument, market: MarketHistory, slots: number): string[] {
  const { instrument } = market;
  const { trades } = runOnServer(document, market, slots);
  return fingerprintLines(
    trades.map(
      (trade): Trade =>
        ({
          symbol: instrument.symbol,
          direction: trade.direction,
          openTime: trade.timestamp,
          closeTime: trade.exit_timestamp,
          openRate: trade.entry_price,
          closeRate: trade.exit_price,
          amount: trade.amount,
          exitReason: trade.exit_reason,
          profit: trade.pnl,
        }) as Trade,
    ),
  );
}

const inBrowser = (document: RulesDocument, market: MarketHistory): string[] =>
  fingerprintLines(replayRules(document, { exchangeId: 'binance', marketType: 'futures', history: market, others: {} }).trades);

describe('a replay in the browser gives the trades of the backtest on the server', () => {
  test.each(Object.entries(rulesTemplates))('%s', (_, document) => {
    const market = history(document);
    const found = inBrowser(document, market);
    expect(found).toEqual(onServer(document, market, 1));
    expect(found.length).toBeGreaterThan(0);
  });

  test('with a position plan, whose largest position is the capital', () => {
    const document: RulesDocument = {
      ...rulesTemplates['RsiReversal'],
      positionPlan: { addMore: { distance: 0.01, stake: 0.5, most: 3 }, takeOut: [{ profit: 0.01, part: 0.5 }] },
    };
    const market = history(document);
    const found = inBrowser(document, market);
    expect(found).toEqual(onServer(document, market, 3));
    expect(found).not.toEqual(inBrowser({ ...document, positionPlan: null }, market));
  });
});

test.each(['EmaCross', 'RsiReversal', 'SuperTrendFollower'])('the figures of %s are those of the backtest', (name) => {
  const document = rulesTemplates[name];
  const market = history(document);
  const result = replayRules(document, { exchangeId: 'binance', marketType: 'futures', history: market, others: {} });
  const { figures, equity } = summaryOf(result, { stake: 300, currency: 'USDT' });
  const { metric_sets: sets, trades } = runOnServer(document, market, 1);
  const on = (wanted: string) => sets[0]?.metrics.find((metric) => metric.name === wanted)?.value ?? null;
  const found = {
    'Total profit': figures.netPnl,
    Trades: figures.trades,
    'Win rate': figures.winRate,
    'Max drawdown': figures.maxDrawdown,
    'Profit factor': figures.profitFactor,
    Fees: figures.fees,
  };
  for (const [wanted, value] of Object.entries(found)) expect(value, wanted).toBeCloseTo(on(wanted)!, 8);
  expect(figures.worstTrade).toBe(Math.min(...trades.map(({ pnl }) => pnl)));
  expect(equity.at(-1)?.value).toBeCloseTo(figures.netPnl, 8);
  const hold = holdingOf(result, 300);
  expect([hold.length, hold[0]?.value]).toEqual([1_000, 0]);
  expect(hold.at(-1)?.value).toBeCloseTo(300 * result.marketChange, 6);
});

test('a part of the history is replayed as if it were all that was asked for', () => {
  const document = rulesTemplates['EmaCross'];
  const market = history(document);
  const range = { from: market.from + 10 * dayMs, to: market.to };
  const part = replayRules(document, { exchangeId: 'binance', marketType: 'futures', history: market, others: {} }, range);
  expect(part.startTime).toBe(range.from);
  expect(fingerprintLines(part.trades)).toEqual(inBrowser(document, { ...market, ...range }));
});

test('another pair is read and not traded', () => {
  const document: RulesDocument = {
    ...rulesTemplates['EmaCross'],
    guard: [
      {
        kind: 'compare',
        left: { kind: 'price', price: 'close', symbol: 'ETH/USDT:USDT' },
        operator: 'above',
        right: { kind: 'number', value: 0 },
      },
    ],
  };
  const market = history(document);
  const place = { exchangeId: 'binance', marketType: 'futures', history: market } as const;
  const others = { 'ETH/USDT:USDT': { ...market, candles: sliceColumns(market.candles, 0, length) } };
  const { guard: _, ...plain } = document;
  expect(fingerprintLines(replayRules(document, { ...place, others }).trades)).toEqual(inBrowser({ ...plain, guard: [] }, market));
  expect(() => replayRules(document, { ...place, others: {} })).toThrow(/which must be one of the pairs of the backtest/u);
});
