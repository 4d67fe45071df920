import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import type { Database } from '#storage/database.ts';
import type { StrategyToEnter } from '#storage/strategies/strategies.ts';
import { enterFileStrategy } from '#storage/strategies/strategies.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { listStrategyFiles } from '#storage/strategies/strategy-files.ts';
import type { CheckedFile } from '#strategy-process/checked-file.ts';
import { type KeptPythonDescription, pythonOf } from '#strategy-process/python/python-facts.ts';
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
    const { timeframe } = strategy.defaults;
    if (!strategyTimeframes.some((each) => each === timeframe)) {
      faults.push(
        `${path}: ${strategy.name} suggests candles of ${timeframe}, and strategies are set to ${strategyTimeframes.join(', ')}; flotilla backtest runs it.`,
      );
      continue;
    }
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

function toEnter(strategy: StrategyDescription, exchanges: readonly string[]): StrategyToEnter {
  const { name, title, description, defaults } = strategy;
  const python = pythonOf(strategy);
  return {
    ...(python === null ? {} : { orderTypes: orderTypesOf(python) }),
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

/** The types of orders that a class names; those of emergencies are the product's own. */
function orderTypesOf({ words }: KeptPythonDescription): Record<string, 'limit' | 'market'> {
  const named = Object.entries(words['order_types'] ?? {});
  return Object.fromEntries(
    named.flatMap(([kind, type]: [string, unknown]) =>
      ['entry', 'exit', 'stoploss'].includes(kind) && (type === 'limit' || type === 'market') ? [[kind, type] as const] : [],
    ),
  );
}
