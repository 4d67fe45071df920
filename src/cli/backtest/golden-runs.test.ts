import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../testing/command-process.ts';
import { goldenConfig, type GoldenSetup, goldenSetups, goldenStrategy } from '../testing/golden-setups.ts';
import { csvOf, sandboxCandles, writeTo } from '../testing/sandbox-candles.ts';

// The whole command, from files to a file. On recorded candles the expected trades were made by freqtrade itself.

const recorded = '../shared/data/candles';
const reference = '../shared/golden';
const hasData = existsSync(recorded) && existsSync(reference);
const minute = 60_000;

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'flotilla-golden-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!hasData)(hasData ? 'golden runs' : 'golden runs (skipped: the recorded candles are not on this machine)', () => {
  test.each(goldenSetups)('OP-84 $name from the command line gives the trades of freqtrade byte for byte', async (setup) => {
    const datadir = join(folder, `recorded-${setup.name}`);
    const minutes = setup.name === 'G5' ? '1m' : '5m';
    for (const base of setup.bases) {
      const name = setup.marketType === 'futures' ? `futures/${base}_USDT_USDT-5m-futures` : `${base}_USDT-${minutes}`;
      writeTo(datadir, `${name}.csv.gz`, gunzipSync(readFileSync(`${recorded}/${base}_USDT-${minutes}.csv.gz`)));
    }
    const { trades } = await backtest(setup, datadir);
    expect(firstDifference(trades, readFileSync(`${reference}/gold_${setup.name}.csv`, 'utf8'))).toBe(null);
  });
});

/** Made once by this program, when it gave the reference's trades on recorded candles. */
const pinned: Record<string, { trades: number; finalBalance: number; sha: string }> = {
  G1: { trades: 499, finalBalance: 8978.470407699999, sha: '6e141cc4b22874a79c1b943c12ef5d711641f03f046f2ee9cc0777392cd7b910' },
  G2: { trades: 259, finalBalance: 589.9037637699998, sha: '2377a2f1fa5c1097d53b7824158c0e9d05d5fcc3af0828d56bdd923697416dc5' },
  G3: { trades: 304, finalBalance: 9129.02739967, sha: '2fc2edf00075cf12680f73fc6a3519637fc4ca926db7aec133e8793ffd45321d' },
  G4: { trades: 1075, finalBalance: 4070.0117677699964, sha: '604cc3e1b098150e34a9133aac76bdc049e05b61084d229b88231c403c274148' },
  G5: { trades: 126, finalBalance: 9529.16307128, sha: '06573a75ed54acb4fee799ace8446bf6f79d859881049ad258cf5e02e82976d7' },
  G6: { trades: 305, finalBalance: 9272.67581413, sha: 'bef2eba1b902be6772a1ef6758da79b0ce3ce76fa1a2c1b46d2c2ba64d32d12a' },
};

describe('the same set-ups on simulated candles', () => {
  test.each(goldenSetups)('OP-84 $name gives the trades it always gave', async (setup) => {
    const datadir = join(folder, `simulated-${setup.name}`);
    const from = Date.UTC(2025, 2, 3);
    for (const base of setup.bases) {
      const isDetailed = setup.name === 'G5';
      const candles = isDetailed
        ? sandboxCandles(base, 'spot', from + 2 * minute, 10 * 1440, minute)
        : sandboxCandles(base, setup.marketType, from, 40 * 288, 5 * minute);
      const name = isDetailed
        ? `${base}_USDT-1m.csv`
        : setup.marketType === 'futures'
          ? `${base}_USDT_USDT-5m-futures.csv`
          : `${base}_USDT-5m.csv`;
      writeTo(datadir, name, csvOf(candles));
    }
    const { trades, report } = await backtest(setup, datadir);
    const found = {
      trades: trades.split('\n').length - 1,
      finalBalance: report.finalBalance,
      sha: createHash('sha256').update(trades).digest('hex'),
    };
    expect(found).toEqual({ ...pinned[setup.name], finalBalance: expect.closeTo(pinned[setup.name].finalBalance, 6) });
    expect(report.perTrade.tradeCount).toBe(found.trades);
  });
});

async function backtest(
  setup: GoldenSetup,
  datadir: string,
): Promise<{ trades: string; report: { finalBalance: number; perTrade: { tradeCount: number } } }> {
  const strategy = writeTo(datadir, 'my-strategy.ts', goldenStrategy(setup));
  const config = writeTo(datadir, 'config.json', JSON.stringify(goldenConfig(setup)));
  const file = join(datadir, 'trades.csv');
  const words = ['--strategy', strategy, '--config', config, '--datadir', datadir, '--export-trades', file, '--json', ...setup.words];
  const { code, out, err } = await runCommand('backtest', words);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return { trades: readFileSync(file, 'utf8'), report: JSON.parse(out) };
}

function firstDifference(ours: string, theirs: string): object | null {
  if (ours === theirs) return null;
  const [mine, expected] = [ours.split('\n'), theirs.split('\n')];
  const at = expected.findIndex((line, i) => line !== mine[i]);
  return { at, ours: mine[at], reference: expected[at] };
}
