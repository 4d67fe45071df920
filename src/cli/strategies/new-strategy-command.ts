import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Say } from '../command-error.ts';
import { CommandError } from '../command-error.ts';

/** What makes a name of a file out of the name of a strategy: `NightGap` is `night-gap.ts`. */
function fileNameOf(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}

/** Writes a strategy to begin with, and its test, into the folder of an installation. Refuses: to write over what is there */
export function newStrategyCommand(name: string, home: string, say: Say): void {
  if (!/^[A-Za-z]\w{0,59}$/u.test(name))
    throw new CommandError(
      `NAME must be a word of at most 60 letters and digits that begins with a letter, for example NightGap, and is "${name}".`,
    );
  const folder = join(resolve(home), 'strategies');
  const base = fileNameOf(name);
  const texts = { [`${base}.ts`]: strategyText(name), [`${base}.test.ts`]: testText(name, base) };
  for (const file of Object.keys(texts))
    if (existsSync(join(folder, file))) throw new CommandError(`${join(folder, file)} is there already. Choose another NAME.`);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(texts)) {
    writeFileSync(join(folder, file), text, { flag: 'wx' });
    say(`Written: ${join(folder, file)}`);
  }
  say('Flotilla checks it as soon as it runs: see Files in the Strategy tab, or flotilla strategies.');
  say(`Does it look ahead? flotilla lookahead --strategy ${join(folder, `${base}.ts`)} --datadir DIR`);
}

function strategyText(name: string): string {
  return `import type { Strategy } from '#engine/strategy/strategy.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
import { ema } from '#engine/indicators/ema.ts';

// Enters long when the fast average crosses above the slow one, and leaves when it crosses below.
const strategy: Strategy<'fast' | 'slow'> = {
  name: '${name}', // for programs: it stays what it is, so that bots and backtests find it
  title: '${name}', // for people, as the next three
  description: 'Enters long when the fast average crosses above the slow one.',
  losesWhen: 'It loses in sideways markets, where the averages cross again and again.',
  kind: 'trend',
  canShort: false,
  startupCandles: 150, // before the first row can be trusted, whatever the parameters are
  // What it suggests; the Strategy tab and each bot may say otherwise.
  defaults: {
    timeframe: '5m',
    stoploss: -0.03,
    minimalRoi: { 0: 0.04, 240: 0.01 },
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  // Numbers that people may change, with their range.
  parameters: {
    fast: { default: 12, min: 5, max: 25, step: 1, meaning: 'Candles of the fast average.', unit: 'candles' },
    slow: { default: 26, min: 26, max: 60, step: 1, meaning: 'Candles of the slow average.', unit: 'candles' },
  },

  // Candles are columns, oldest first. Row i may only use rows up to i: it is known when candle i has closed.
  compute({ close }, { fast, slow }) {
    const fastLine = ema(close, fast);
    const slowLine = ema(close, slow);
    const signals = noSignals(close.length, { fast: fastLine, slow: slowLine }); // the lines are drawn on the chart
    for (let i = 1; i < close.length; i++) {
      const isAbove = fastLine[i]! > slowLine[i]!;
      const wasAbove = fastLine[i - 1]! > slowLine[i - 1]!;
      if (isAbove && !wasAbove) signals.enterLong[i] = 1;
      if (!isAbove && wasAbove) signals.exitLong[i] = 1;
    }
    return signals;
  },
};

export default strategy;
`;
}

function testText(name: string, base: string): string {
  const flotilla = pathToFileURL(join(import.meta.dirname, '../../../package.json')).href;
  return `import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';

// Run it by: node --test ${base}.test.ts

// Where Flotilla lies, so that '#engine/...' is found from here too.
const flotilla = '${flotilla}';
registerHooks({
  resolve: (name, context, next) => next(name, name.startsWith('#') ? { ...context, parentURL: flotilla } : context),
});
const { default: strategy } = await import('./${base}.ts');

/** Candles that fall for 300 rows and rise for 300. */
function fallAndRise() {
  const close = Float64Array.from({ length: 600 }, (_, i) => 100 + Math.abs(i - 300) / 10);
  const openTime = Float64Array.from(close, (_, i) => i * 300_000);
  return { openTime, open: close, high: close, low: close, close, volume: close.map(() => 1) };
}

test('${name} enters once, when a fall has become a rise', () => {
  const { enterLong } = strategy.compute(fallAndRise(), { fast: 12, slow: 26 });
  const entries = [...enterLong].flatMap((flag, i) => (flag === 1 ? [i] : []));
  assert.equal(entries.filter((i) => i > 300).length, 1);
});
`;
}
