import { complainToStandardError, exitCodeOf, type Say } from '../command-error.ts';
import { type CommandDescription, type CommandOption, readOptions } from '../options.ts';
import { epochLine, headLine } from './epoch-text.ts';
import { resultsOption } from './hyperopt-command.ts';
import { findResults, readResults } from './results-file.ts';

/** The option that says which file of results. */
export const fileOption = {
  values: 'one',
  placeholder: 'FILE',
  help: 'a file of the results folder, or its path; the newest, when left out',
} as const;

const description = {
  name: 'hyperopt-list',
  summary: 'Lists the epochs of a study.',
  options: {
    'hyperopt-filename': fileOption,
    results: resultsOption,
    best: { values: 'none', help: 'only epochs that were better than all before' },
    profitable: { values: 'none', help: 'only epochs that made a profit' },
    json: { values: 'none', help: 'prints each epoch as a JSON object in a line' },
  },
} as const satisfies CommandDescription<Record<string, CommandOption>>;

/** Lists the epochs of a study; the description above is its help. Returns the exit code. */
export async function hyperoptListCommand(
  words: readonly string[],
  resultsFolder: string,
  say: Say,
  complain: Say = complainToStandardError,
): Promise<number> {
  return await exitCodeOf(say, complain, () => {
    const { results, best, profitable, json, 'hyperopt-filename': name } = readOptions(words, description);
    const { file, header, epochs } = readResults(findResults(results ?? resultsFolder, name));
    const listed = epochs.filter(
      ({ isBest, figures }) => (best !== true || isBest) && (profitable !== true || (figures !== null && figures.profit > 0)),
    );
    if (json !== true) {
      say(
        `${header.strategy} on ${header.timeframe} candles, ${header.pairs.join(' ')}; ${header.loss}; ${epochs.length} epochs in ${file}`,
      );
      if (listed.length > 0) say(headLine());
    }
    for (const epoch of listed) say(json === true ? JSON.stringify(epoch) : epochLine(epoch, header.stakeCurrency));
    if (json !== true && listed.length === 0) say('No epoch is like that.');
    return Promise.resolve(0);
  });
}
