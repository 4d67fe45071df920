import type { Database } from '#storage/database.ts';
import type { StrategyToEnter } from '#storage/strategies/strategies.ts';
import { enterFileStrategy } from '#storage/strategies/strategies.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { listStrategyFiles } from '#storage/strategies/strategy-files.ts';
import type { CheckedFile } from '#strategy-process/checked-file.ts';
import type { StrategyDescription } from '#strategy-process/wire/questions.ts';

/** Strategies of files follow those that are part of the program. */
const firstPosition = 1_000;

/**
 * Enters what a file of the strategies' folder holds; each strategy gets a new version where its texts have changed. Gives what keeps it
 * out, in sentences.
 */
export async function enterStrategyFile(
  db: Database,
  path: string,
  { hash, files, strategies }: CheckedFile,
  exchanges: readonly string[],
): Promise<string[]> {
  const faults: string[] = [];
  const others = (await listStrategyFiles(db)).filter((file) => file.path !== path && file.state === 'ready');
  for (const strategy of strategies) {
    const other = others.find((file) => file.strategies.includes(strategy.name));
    if (other !== undefined) {
      faults.push(`${path}: ${other.path} has a strategy named ${strategy.name}; choose another "name".`);
      continue;
    }
    const entered = await enterFileStrategy(db, toEnter(strategy, exchanges));
    if (entered === null) faults.push(`${path}: another strategy is named ${strategy.name}; choose another "name".`);
    else
      await keepCode(db, {
        strategyId: entered.id,
        hash,
        file: path,
        exportName: strategy.exportName,
        files,
        description: strategy,
        madeBy: null,
      });
  }
  return faults;
}

function toEnter({ name, title, description, defaults }: StrategyDescription, exchanges: readonly string[]): StrategyToEnter {
  return {
    className: name,
    name: title.slice(0, 100),
    description: description.slice(0, 1_000),
    supportedExchanges: [...exchanges],
    defaultTimeframe: defaults.timeframe,
    stoploss: defaults.stoploss,
    trailingStop: defaults.trailingStop,
    trailingStopPositive: defaults.trailingStopPositive,
    trailingStopPositiveOffset: defaults.trailingStopPositiveOffset,
    trailingOnlyOffsetIsReached: defaults.trailingOnlyOffsetIsReached,
    minimalRoi: Object.fromEntries(Object.entries(defaults.minimalRoi)),
    position: firstPosition,
  };
}
