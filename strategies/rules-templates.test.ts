import { describe, expect, test } from 'vitest';
import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import { fingerprintLines } from '#engine/backtest/fingerprint.ts';
import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { compileRules } from '#engine/rules/compile-rules.ts';
import { faultsOf } from '#engine/rules/faults.ts';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { defaultParameters, type ParameterValues, type Signals, type Strategy } from '#engine/strategy/strategy.ts';
import { seededRandom } from '#engine/simulation/seeded-random.ts';
import { builtInStrategies } from './built-in.ts';

const flags = ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const;
const said = builtInStrategies.filter(({ name }) => name in rulesTemplates);

/** What a row wants, and why: the flags with the texts of the tags. */
function rowsOf(signals: Signals): string[] {
  return Array.from({ length: signals.enterLong.length }, (_, i) => {
    const [enter, exit] = [signals.enterLong[i] | signals.enterShort[i], signals.exitLong[i] | signals.exitShort[i]];
    const why = [enter ? signals.tags[signals.enterTag![i] - 1] : '', exit ? signals.tags[signals.exitTag![i] - 1] : ''];
    return [...flags.map((flag) => signals[flag][i]), ...why].join(' ');
  });
}

/** The default values, and some by chance, on the steps of their ranges. */
function valuesOf(strategy: Strategy, seed: number): ParameterValues {
  if (seed === 0) return defaultParameters(strategy);
  const chance = seededRandom(seed);
  return Object.fromEntries(
    Object.entries(strategy.parameters).map(([name, { min, max, step }]) => {
      const steps = Math.round((max - min) / step);
      return [name, Number((min + step * Math.floor(chance() * (steps + 1))).toFixed(9))];
    }),
  );
}

test('every built-in strategy that enters at all is also there as rules', () => {
  expect(builtInStrategies.map(({ name }) => name).filter((name) => !(name in rulesTemplates))).toEqual(['AlwaysFlat']);
  expect(Object.keys(rulesTemplates)).toHaveLength(10);
});

describe.each(said.map((strategy) => [strategy.name, strategy] as const))('%s as rules', (name, builtIn) => {
  const document = rulesTemplates[name];
  const template = compileRules(document, { name });
  const stepMs = timeframeLengths[builtIn.defaults.timeframe];

  test('has no faults, and is the same to people: title, settings, parameters, sides', () => {
    expect(faultsOf(document)).toEqual([]);
    for (const field of ['name', 'title', 'description', 'losesWhen', 'kind', 'defaults', 'canShort', 'parameters'] as const)
      expect(template[field], field).toEqual(builtIn[field]);
  });

  test.each([0, 1, 2, 3, 4, 5])('gives the same signals with the same tags, row by row (values %i)', (seed) => {
    const values = valuesOf(builtIn, seed);
    const candles = randomWalk({ length: 6_000, seed: 77 + seed, stepMs });
    const rows = rowsOf(builtIn.compute(candles, values));
    expect(rows.filter((row) => row.includes('1')).length).toBeGreaterThan(10);
    // The first row lies in every warm-up; some strategies begin with the second.
    expect(rowsOf(template.compute(candles, values)).slice(1)).toEqual(rows.slice(1));
  });

  test('makes the same trades in a backtest, byte for byte', () => {
    const marketType = builtIn.canShort ? 'futures' : 'spot';
    const settings = requireSettings({
      marketType,
      canShort: builtIn.canShort,
      stakeAmount: 1_000,
      startingBalance: 10_000,
      maxOpenTrades: 2,
      fee: 0.001,
      ...builtIn.defaults,
      liquidationFormula: 'binance',
    });
    const pairs = ['BTC', 'ETH'].map((base, i) => ({
      instrument: anInstrument({
        symbol: marketType === 'futures' ? `${base}/USDT:USDT` : `${base}/USDT`,
        base,
        marketType,
        amountStep: 0.0001,
        maxLeverage: 20,
      }),
      candles: randomWalk({ length: 8_000, seed: 5 + i, stepMs }),
    }));
    const startupCandles = Math.max(builtIn.startupCandles, template.startupCandles); // both begin to trade on the same candle
    const tradesOf = (strategy: Strategy) =>
      fingerprintLines(
        backtestStrategy({
          strategy: { ...strategy, startupCandles },
          parameters: defaultParameters(strategy),
          settings,
          timeframe: builtIn.defaults.timeframe,
          pairs,
        }).trades,
      );
    const trades = tradesOf(builtIn);
    expect(trades.length).toBeGreaterThan(name === 'BuyAndHold' ? 1 : 20);
    expect(tradesOf(template)).toEqual(trades);
  });
});
