import { writeFileSync } from 'node:fs';
import { fingerprintLines } from '#engine/backtest/fingerprint.ts';
import { prepareBacktest } from './backtest-job.ts';
import { reportOf } from './backtest-report.ts';
import { runBacktest } from './backtest-run.ts';
import { CommandError, complainToStandardError, exitCodeOf, messageOf, type Say } from './command-error.ts';
import { readConfigFile } from './config-json.ts';
import { type OptionKind, readOptions } from './options.ts';
import { reportLines } from './report-text.ts';

const options = {
  strategy: 'word',
  config: 'word',
  datadir: 'word',
  timerange: 'word',
  timeframe: 'word',
  'timeframe-detail': 'word',
  pairs: 'words',
  'export-trades': 'word',
  realistic: 'words',
  json: 'flag',
} as const satisfies Record<string, OptionKind>;

/**
 * Tests a strategy on candles in files:
 *
 *   backtest --strategy FILE_OR_NAME --config CONFIG.json --datadir DIR [--timerange 20250401-20250701] [--timeframe 5m]
 *     [--timeframe-detail 1m] [--pairs A B ...] [--export-trades out.csv] [--realistic Q13,Q14 or all] [--json]
 *
 * Gives the exit code: 0, or 2 after it has said what is wrong.
 */
export async function backtestCommand(words: readonly string[], say: Say, complain: Say = complainToStandardError): Promise<number> {
  return await exitCodeOf(complain, async () => {
    const begun = performance.now();
    const { config, datadir, json, 'export-trades': exportFile, ...wishes } = readOptions(words, options);
    if (config === undefined) throw new CommandError('Which settings? Give --config CONFIG.json.');
    if (datadir === undefined) throw new CommandError('Where are the candles? Give --datadir DIR.');
    const job = await prepareBacktest(readConfigFile(config), { ...wishes, datadir });
    const loaded = performance.now();
    const run = runBacktest(job);
    const ran = performance.now();
    if (exportFile !== undefined) writeLines(exportFile, fingerprintLines(run.result.trades));
    const report = reportOf(job, run);
    const lines = json === true ? [] : reportLines(report);
    const times = { loadMs: loaded - begun, ...run.times, reportMs: performance.now() - ran };
    if (json === true) say(JSON.stringify({ ...report, times }));
    else for (const line of lines) say(line);
    return 0;
  });
}

function writeLines(file: string, lines: readonly string[]): void {
  try {
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  } catch (error) {
    throw new CommandError(`The trades cannot be written to ${file} (${messageOf(error)}).`);
  }
}
