import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstDifference, flotilla, python, recorded, reference, type Setup } from './both-sides.ts';

// Strategies in Python, run by this program and by freqtrade itself on the same candles: the same trades, line by line. The strategies are those
// beside this file, freqtrade's own sample, and whatever files TORTURE_STRATEGIES (a folder) has.

const probe = spawnSync(python, ['-c', 'import freqtrade; print(freqtrade.__file__)'], { encoding: 'utf8' });
const lacks =
  probe.status !== 0
    ? `${python} has no freqtrade; FLOTILLA_PYTHON can name one that has`
    : existsSync(recorded)
      ? null
      : 'the recorded candles are not on this machine';

const own = join(import.meta.dirname, 'strategies');
const foreign = process.env['TORTURE_STRATEGIES'] ?? '';

const setups: Setup[] = [
  {
    name: 'AllSpot',
    file: join(own, 'all-spot.py'),
    className: 'AllSpot',
    config: { enable_protections: true },
    timerange: '20250420-20250510',
  },
  { name: 'AllSpot, all candles', file: join(own, 'all-spot.py'), className: 'AllSpot', config: { enable_protections: true } },
  { name: 'AllFutures', file: join(own, 'all-futures.py'), className: 'AllFutures', isFutures: true },
  { name: 'Unannounced', file: join(own, 'unannounced.py'), className: 'Unannounced' },
  { name: 'BesideOthers', file: join(own, 'beside-others.py'), className: 'BesideOthers' },
  { name: 'Older', file: join(own, 'older.py'), className: 'Older' },
  ...(lacks === null
    ? [{ name: 'the sample', file: join(probe.stdout.trim(), '../templates/sample_strategy.py'), className: 'SampleStrategy' }]
    : []),
  ...(foreign === '' ? [] : readdirSync(foreign).filter((file) => file.endsWith('.py'))).map((file) => ({
    name: file,
    file: join(foreign, file),
    className: basename(file, '.py'),
  })),
];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-freqtrade-'));
  if (lacks === null)
    expect(spawnSync(python, [join(import.meta.dirname, 'candles.py'), recorded, join(folder, 'data')], { stdio: 'inherit' }).status).toBe(
      0,
    );
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(lacks !== null)(lacks === null ? 'strategies in Python' : `strategies in Python (skipped: ${lacks})`, () => {
  test.each(setups)('$name has the trades of freqtrade', { timeout: 3_600_000 }, async (setup) => {
    const theirs = await reference(folder, setup);
    const ours = await flotilla(folder, setup);
    if ('fault' in theirs || 'fault' in ours) expect.unreachable(JSON.stringify({ theirs, ours }));
    expect(firstDifference(ours.trades, theirs.trades)).toBe(null);
    console.info(`${setup.name}: ${ours.trades.length} trades, equal`);
  });
});
