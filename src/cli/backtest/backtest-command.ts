import { writeFileSync } from 'node:fs';
import { errorText } from '#engine/ports/error-text.ts';
import { fingerprintLines } from '#engine/backtest/fingerprint.ts';
import { prepareBacktest } from './backtest-job.ts';
import { reportOf } from './backtest-report.ts';
import { runBacktest } from './backtest-run.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from '../command-error.ts';
import { readConfigFile } from '../config/config-json.ts';
import { type CommandDescription, type CommandOption, readOptions } from '../options.ts';
import { noPythonEnvironment, type PythonEnvironment } from '#strategy-process/python/find-python.ts';
import { runPython } from './run-python.ts';
import { reportLines } from './report-text.ts';
import { runOptions } from './run-options.ts';

const description = {
  name: 'backtest',
  summary: "Tests a strategy on candle files, with freqtrade's configuration and rules.",
  options: {
    ...runOptions,
    'export-trades': { values: 'one', placeholder: 'FILE', help: 'writes every trade to a CSV file' },
    json: { values: 'none', help: 'prints the report as one JSON object' },
  },
  examples: ['npm run -s flotilla -- backtest --strategy EmaCross --config config.json --datadir DIR --export-trades trades.csv'],
} as const satisfies CommandDescription<Record<string, CommandOption>>;

/** Tests a strategy on candles in files; the description above is its help. Returns the exit code. */
export async function backtestCommand(
  words: readonly string[],
  say: Say,
  complain: Say = complainToStandardError,
  environment: PythonEnvironment = noPythonEnvironment,
): Promise<number> {
  return await exitCodeOf(say, complain, async () => {
    const begun = performance.now();
    const { config, datadir, json, python, 'export-trades': exportFile, ...wishes } = readOptions(words, description);
    if (config === undefined) throw new CommandError('Which settings? Give --config CONFIG.json.');
    if (datadir === undefined) throw new CommandError('Where are the candles? Give --datadir DIR.');
    const places = { ...environment, given: python ?? null };
    const job = await prepareBacktest(readConfigFile(config), { ...wishes, datadir, python: places });
    const loaded = performance.now();
    const run = job.python === null ? runBacktest(job) : await runPython(job, job.python);
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
    throw new CommandError(`The trades cannot be written to ${file} (${errorText(error)}).`);
  }
}
