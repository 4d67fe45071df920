/** What every command that runs backtests is given: the strategy, its settings and its candles. */
export const runOptions = {
  strategy: {
    values: 'one',
    placeholder: 'NAME_OR_FILE',
    help: 'a built-in strategy, a TypeScript or Python file, or a JSON file of rules',
  },
  config: { values: 'one', placeholder: 'FILE', help: "settings, in freqtrade's form" },
  datadir: { values: 'one', placeholder: 'DIR', help: 'folder of the candle files' },
  timerange: { values: 'one', placeholder: 'RANGE', help: '20250401-20250701; either end may be left out' },
  timeframe: { values: 'one', placeholder: 'TIMEFRAME', help: "e.g. 5m; without it the configuration's, else the strategy's" },
  'timeframe-detail': { values: 'one', placeholder: 'TIMEFRAME', help: 'smaller candles that decide what happens inside a candle' },
  pairs: { values: 'several', placeholder: 'PAIR', help: "e.g. BTC/USDT ETH/USDT; without it the configuration's" },
  realistic: { values: 'several', placeholder: 'QUIRK', help: "switches freqtrade's quirks off, by name, or all" },
  python: {
    values: 'one',
    placeholder: 'PROGRAM',
    help: 'the Python for a strategy in Python; else FLOTILLA_PYTHON, or the one of set-up',
  },
} as const;
