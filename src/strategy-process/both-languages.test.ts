import { describe } from 'vitest';
import { wallsOfSystem } from './child-command.ts';
import { spawned } from './connection.ts';
import { pythonCommand } from './python/python-command.ts';
import { needsPython, testPython } from './python/testing/test-python.ts';
import { keepsTheContract } from './strategy-process.contract.ts';
import { StrategyProcess } from './strategy-process.ts';

describe('a strategy process for TypeScript', () => {
  keepsTheContract({
    start: (folder) => new StrategyProcess({ node: process.execPath, walls: wallsOfSystem(), folder }),
    file: 'steps.ts',
    exportName: 'Steps',
    files: {
      'limit.ts': 'export const limit = 0.5;\n',
      'steps.ts': `import { noSignals } from '#engine/strategy/strategy.ts';
import { limit } from './limit.ts';

export const Steps = {
  name: 'Steps', title: 'Steps', description: '', losesWhen: '', kind: 'trend', canShort: false, startupCandles: 2, parameters: {},
  defaults: {
    timeframe: '5m', stoploss: -0.05, minimalRoi: { 0: 0.02 }, trailingStop: false, trailingStopPositive: null,
    trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false,
  },
  compute({ close }) {
    const step = close.map((price, i) => price - (close[i - 1] ?? NaN));
    const signals = { ...noSignals(close.length, { step }), tags: ['up'], enterTag: new Uint8Array(close.length) };
    for (let i = 1; i < close.length; i++) {
      if (step[i] > 0) signals.enterLong[i] = signals.enterTag[i] = 1;
      if (step[i] < 0) signals.exitLong[i] = 1;
    }
    return signals;
  },
  callbacks: {
    customExit: ({ trade, profitRatio }) => (profitRatio > limit ? 'enough ' + trade.id : null),
    confirmEntry: () => { throw new Error('no mood'); },
  },
};
`,
    },
    failing: 'export const a = 1;\nexport const b = 2;\nthrow new Error("no good");\n',
    endless: 'while (true);\n',
  });
});

describe.skipIf(testPython === null)(needsPython('a strategy process for Python'), () => {
  keepsTheContract({
    start: () => new StrategyProcess(spawned(pythonCommand(testPython ?? '', wallsOfSystem()))),
    file: 'steps.py',
    exportName: 'Steps',
    files: {
      'limit.py': 'limit = 0.5\n',
      'steps.py': `from limit import limit


class Steps:
    timeframe = "5m"
    stoploss = -0.05
    minimal_roi = {"0": 0.02}
    startup_candle_count = 2

    def populate_indicators(self, dataframe, metadata):
        dataframe["step"] = dataframe["close"].diff()
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["step"] > 0, ["enter_long", "enter_tag"]] = (1, "up")
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["step"] < 0, "exit_long"] = 1
        return dataframe

    def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **kwargs):
        return f"enough {trade.id}" if current_profit > limit else None

    def confirm_trade_entry(self, **kwargs):
        raise ValueError("no mood")
`,
    },
    failing: 'a = 1\nb = 2\nraise ValueError("no good")\n',
    endless: 'while True:\n    pass\n',
  });
});
