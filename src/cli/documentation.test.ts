import { noPython } from '#strategy-process/python/find-python.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from './testing/command-process.ts';
import { csvOf, sandboxCandles, writeTo } from './testing/sandbox-candles.ts';
import { needsPython, testPython } from '#strategy-process/python/testing/test-python.ts';
import { checkFile } from '#strategy-process/check-file.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { callbackResults } from '#strategy-process/code/strategy-shape.ts';

// What docs/strategies.md says is run, so that it stays true.

const text = readFileSync('docs/strategies.md', 'utf8');
const block = (language: string, number = 0): string =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'gu'))][number]?.[1] ?? '';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-docs-'));
  for (const base of ['BTC', 'ETH']) {
    writeTo(folder, `${base}_USDT-5m.csv.gz`, csvOf(sandboxCandles(base, 'spot', Date.UTC(2025, 2, 3), 4000, 300_000)));
    writeTo(
      folder,
      `futures/${base}_USDT_USDT-5m-futures.csv`,
      csvOf(sandboxCandles(base, 'futures', Date.UTC(2025, 2, 3), 4000, 300_000)),
    );
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/strategies.md', () => {
  test('its strategy and its configuration run, and trade', async () => {
    const strategy = writeTo(folder, 'dips.ts', block('ts'));
    const config = writeTo(folder, 'config.json', block('json'));
    const { code, out, err } = await runCommand('backtest', ['--strategy', strategy, '--config', config, '--datadir', folder, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const report = JSON.parse(out);
    expect(report).toMatchObject({ strategy: 'Dips', notes: [], byEnterTag: [{ key: 'dip' }] });
    expect(report.perTrade.tradeCount).toBeGreaterThan(20);
    const reasons = report.byExitReason.map(({ key }: { key: string }) => key);
    expect(reasons).toEqual(expect.arrayContaining(['turn', 'roi']));
  });

  test('it runs below a package.json that says otherwise, and types that cannot be taken away are refused by line', async () => {
    writeTo(folder, 'elsewhere/package.json', '{ "type": "commonjs" }');
    const config = writeTo(folder, 'config.json', block('json'));
    const run = (file: string) => runCommand('backtest', ['--strategy', file, '--config', config, '--datadir', folder]);
    expect(await run(writeTo(folder, 'elsewhere/dips.ts', block('ts')))).toMatchObject({ code: 0, err: '' });
    const file = writeTo(folder, 'enum.ts', `${block('ts')}\nenum Side { Long }\n`);
    const line = block('ts').split('\n').length + 1;
    expect(await run(file)).toEqual({
      code: 2,
      out: '',
      err: `The strategy file ${file} cannot be loaded: TypeScript enum is not supported in strip-only mode (line ${line})\n`,
    });
  });

  test('its strategy does not look ahead', async () => {
    const strategy = writeTo(folder, 'dips.ts', block('ts'));
    const { code, out } = await runCommand('lookahead', ['--strategy', strategy, '--datadir', folder, '--pairs', 'BTC/USDT']);
    expect({ code, last: out.trimEnd().split('\n').at(-1) }).toEqual({ code: 0, last: 'Dips was not found to use later candles.' });
  });

  test.skipIf(testPython === null)(needsPython('its strategy in Python runs, and trades'), async () => {
    const strategy = writeTo(folder, 'Weak.py', block('python'));
    const config = writeTo(folder, 'config.json', block('json'));
    const words = ['--strategy', strategy, '--config', config, '--datadir', folder, '--python', testPython ?? '', '--json'];
    const { code, out, err } = await runCommand('backtest', words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const report = JSON.parse(out);
    expect(report).toMatchObject({ strategy: 'Weak', notes: [], byEnterTag: [{ key: 'weak' }] });
    expect(report.perTrade.tradeCount).toBeGreaterThan(20);
  });

  test('its strategy of several series runs, trades, and does not look ahead; a product takes it as it stands', async () => {
    const strategy = writeTo(folder, 'tide.ts', block('ts', 1));
    const config = writeTo(
      folder,
      'config.json',
      JSON.stringify({ ...JSON.parse(block('json')), exchange: { pair_whitelist: ['ETH/USDT'] } }),
    );
    const { code, out, err } = await runCommand('backtest', ['--strategy', strategy, '--config', config, '--datadir', folder, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const report = JSON.parse(out);
    expect(report).toMatchObject({ strategy: 'WithTheTide' });
    expect(report.perTrade.tradeCount).toBeGreaterThan(20);
    const ahead = await runCommand('lookahead', ['--strategy', strategy, '--datadir', folder, '--pairs', 'ETH/USDT']);
    expect(ahead).toMatchObject({ code: 0, err: '' });
    const { strategies } = await checkFile({ node: process.execPath, walls: wallsOfSystem(), python: noPython }, folder, 'tide.ts');
    expect(strategies).toMatchObject([
      {
        series: [
          { timeframe: '1h', startupCandles: 48 },
          { symbol: 'BTC/{quote}', startupCandles: 50 },
        ],
      },
    ]);
    const none = await runCommand('backtest', ['--strategy', strategy, '--config', config, '--datadir', folder, '--pairs', 'ETH/EUR']);
    expect(none.code).toBe(2);
    const longer = await runCommand('backtest', ['--strategy', strategy, '--config', config, '--datadir', folder, '--timeframe', '2h']);
    expect(longer).toMatchObject({ code: 2, err: 'WithTheTide reads candles of 1h, which cannot be made of candles of 2h.\n' });
  });

  test('every callback is documented, and called', async () => {
    const names = Object.keys(callbackResults);
    const documented = [...text.matchAll(/^\| `(\w+)` +\|[^|\n]*\|[^|\n]*\|[^|\n]*\|$/gmu)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual(names.toSorted());
    const strategy = writeTo(
      folder,
      'counts.ts',
      `import { noSignals } from '#engine/strategy/strategy.ts';
const asked: Record<string, number> = {};
const count = <Answer>(name: string, answer: (question: any) => Answer) => (question: any): Answer => {
  asked[name] = (asked[name] ?? 0) + 1;
  return answer(question);
};
process.on('exit', () => process.stderr.write(JSON.stringify(asked)));
export default {
  name: 'Counts', canShort: true, startupCandles: 0, parameters: {},
  defaults: { timeframe: '5m', stoploss: -0.05, minimalRoi: {} },
  compute: ({ close }) => {
    const signals = noSignals(close.length);
    for (let i = 0; i < close.length; i++) {
      signals.enterLong[i] = i % 50 === 10 ? 1 : 0;
      signals.exitLong[i] = i % 50 === 40 ? 1 : 0;
    }
    return signals;
  },
  callbacks: {
    loopStart: count('loopStart', () => undefined),
    entryPrice: count('entryPrice', ({ proposedPrice }) => proposedPrice * 0.9995),
    leverage: count('leverage', ({ maxLeverage }) => Math.min(2, maxLeverage)),
    stake: count('stake', ({ proposedStake }) => proposedStake / 2),
    confirmEntry: count('confirmEntry', () => true),
    customStop: count('customStop', () => 0.04),
    roi: count('roi', () => 0.5),
    customExit: count('customExit', () => null),
    exitPrice: count('exitPrice', ({ proposedPrice }) => proposedPrice),
    confirmExit: count('confirmExit', () => true),
    adjustPosition: count('adjustPosition', () => null),
    adjustOrderPrice: count('adjustOrderPrice', ({ order }) => order.price),
    isTimedOut: count('isTimedOut', () => false),
    orderFilled: count('orderFilled', () => undefined),
  },
};
`,
    );
    const config = { ...JSON.parse(block('json')), trading_mode: 'futures', position_adjustment_enable: true };
    config.exchange.pair_whitelist = ['BTC/USDT:USDT', 'ETH/USDT:USDT'];
    const file = writeTo(folder, 'futures.json', JSON.stringify(config));
    const { code, out, err } = await runCommand('backtest', ['--strategy', strategy, '--config', file, '--datadir', folder, '--json']);
    expect(code, err).toBe(0);
    expect(JSON.parse(out).perTrade.tradeCount).toBeGreaterThan(20);
    expect(Object.keys(JSON.parse(err)).toSorted()).toEqual(names.toSorted());
  });

  test('every option of a backtest is described', async () => {
    const { out } = await runCommand('backtest', ['--help']);
    const options = [...out.matchAll(/^ +(--[a-z-]+)/gmu)].map(([, option]) => option);
    expect(options.length).toBeGreaterThan(8);
    for (const option of options) expect(text).toContain(`\`${option}`);
  });
});

describe('docs/lab.md', () => {
  const lab = readFileSync('docs/lab.md', 'utf8');

  test('its commands run: a search, a list, an epoch again, and the sealed stretch', async () => {
    const results = join(folder, 'hyperopt_results');
    writeTo(folder, 'lab/dips.ts', block('ts'));
    writeTo(folder, 'lab/config.json', block('json'));
    const [shell = ''] = [...lab.matchAll(/```sh\n([\s\S]*?)```/gu)].map(([, commands]) => commands ?? '');
    const lines = shell.trim().split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      const [name, ...words] = line.replace('npm run -s flotilla -- ', '').split(' ');
      const placed = words.map((word) => word.replace('./candles', folder).replace('./', join(folder, 'lab/')).replace(/^500$/u, '40'));
      const { code, out, err } = await runCommand(name as 'hyperopt', [...placed, '--results', results]);
      expect({ code, err }, line).toEqual({ code: 0, err: '' });
      expect(out.split('\n').length, line).toBeGreaterThan(2);
    }
  });

  test('every option of its commands is described', async () => {
    for (const name of ['hyperopt', 'hyperopt-list', 'hyperopt-show'] as const) {
      const { out } = await runCommand(name, ['--help']);
      const options = [...out.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gmu)].map(([, option]) => option);
      expect(options.length).toBeGreaterThan(3);
      for (const option of options) if (option !== '--help') expect(lab, `${name} ${option}`).toContain(`\`${option}`);
    }
  });
});
