import type { Instrument } from '#engine/market/instrument.ts';
import { CommandError } from '../command-error.ts';
import type { MovedConfiguration } from './freqtrade-configuration.ts';
import type { FreqtradeTrades } from './freqtrade-trades.ts';

/** The pairs of a bot, and those that it cannot have. */
export interface ChosenPairs {
  chosen: string[];
  unknown: string[]; // the exchange does not offer them
  areOfTrades: boolean; // the configuration names none
}

/** A bot has no more. */
const mostPairs = 500;

/**
 * The pairs that a configuration names or its patterns fit, without those it excludes; of one that names none, those that were traded.
 *
 * Fails: CommandError when nothing is left
 */
export function choosePairs(
  { pairs, excluded, stakeCurrency }: Pick<MovedConfiguration, 'pairs' | 'excluded' | 'stakeCurrency'>,
  { closed, open }: Pick<FreqtradeTrades, 'closed' | 'open'>,
  instruments: readonly Instrument[],
  exchangeId: string,
): ChosenPairs {
  const offered = instruments.filter(({ quote }) => quote === stakeCurrency).map(({ symbol }) => symbol);
  const areOfTrades = pairs.length === 0;
  const wanted = areOfTrades ? [...new Set([...open, ...closed.toReversed()].map(({ symbol }) => symbol))] : pairs;
  const isExcluded = fits(excluded, 'pair_blacklist');
  const found = wanted.map((entry) => ({
    entry,
    names: offered.includes(entry) ? [entry] : offered.filter(fits([entry], 'pair_whitelist')),
  }));
  const chosen = [...new Set(found.flatMap(({ names }) => names))].filter((name) => !isExcluded(name)).slice(0, mostPairs);
  const unknown = found.filter(({ names }) => names.length === 0).map(({ entry }) => entry);
  if (chosen.length === 0)
    throw new CommandError(
      wanted.length === 0
        ? 'The configuration names no pairs, and nothing was traded: list the pairs of the bot in "exchange.pair_whitelist".'
        : `${exchangeId} offers none of the pairs in ${stakeCurrency} (${wanted.slice(0, 5).join(', ')}): give another --exchange, or list others in "exchange.pair_whitelist".`,
    );
  return { chosen, unknown, areOfTrades };
}

/** Whether a name fits one of some patterns as a whole. */
function fits(patterns: readonly string[], key: string): (name: string) => boolean {
  const expressions = patterns.map((pattern) => {
    try {
      return new RegExp(`^(?:${pattern})$`, 'iu');
    } catch {
      throw new CommandError(`The entry "${pattern}" of "exchange.${key}" is not a valid pattern.`);
    }
  });
  return (name) => expressions.some((expression) => expression.test(name));
}
