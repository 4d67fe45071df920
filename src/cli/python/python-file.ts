import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { Signals, Strategy } from '#engine/strategy/strategy.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { pythonCommand } from '#strategy-process/python/python-command.ts';
import type { PythonDescription } from '#strategy-process/python/python-questions.ts';
import { engineStrategy } from '#strategy-process/python/engine-strategy.ts';
import { marketWords } from '#strategy-process/python/market-words.ts';
import { startWaited } from '#strategy-process/python/started-process.ts';
import { PythonStrategy } from '#strategy-process/python/python-strategy.ts';
import { CommandError } from '../command-error.ts';
import { isObject, type JsonObject } from '#strategy-process/words/json-object.ts';

/** Whether a word names a strategy in Python: `file.py`, or `file.py#Class`. */
export function isPythonFile(word: string): boolean {
  return /\.py(?:#|$)/u.test(word);
}

/** What a strategy in Python is made with, besides its file. */
export interface PythonSetting {
  python: string; // the interpreter
  config: JsonObject; // in freqtrade's words
  pairs: readonly string[];
  stakeCurrency: string;
  timeframe: Timeframe | null; // null: the class says it
}

/** Loads the class that a word names. Whoever gets it must end it. Fails: CommandError, StrategyError */
export async function loadPython(
  word: string,
  { python, config, pairs, stakeCurrency, timeframe }: PythonSetting,
): Promise<PythonStrategy> {
  const [path = '', className] = word.split('#');
  const file = resolve(path);
  if (!existsSync(file)) throw new CommandError(`The strategy file ${path} does not exist.`);
  const exchange = isObject(config['exchange']) ? config['exchange'] : {};
  return await PythonStrategy.load(startWaited(pythonCommand(python, wallsOfSystem())), {
    source: { folder: dirname(file), file: basename(file) },
    exportName: className ?? null,
    config: {
      ...withoutSecrets(config),
      exchange: { ...withoutSecrets(exchange), pair_whitelist: pairs },
      stake_currency: stakeCurrency,
      ...(timeframe === null ? {} : { timeframe }),
      dry_run: true,
      runmode: 'backtest',
    },
    pairs,
    markets: marketWords(pairs),
  });
}

/**
 * A configuration with what came of it in the class: its own settings where the configuration is silent, and those it computes itself
 * (properties) in any case. The class's protections count where it has any, as in freqtrade.
 */
export function withClassSettings(config: JsonObject, { words, protections }: PythonDescription): JsonObject {
  return { ...config, ...words, ...(protections.length === 0 ? {} : { protections }) };
}

/** The strategy of a class as the engine knows strategies. */
export function strategyOfPython(python: PythonStrategy): Strategy {
  const columns = (symbol: string, candles: CandleColumns): Signals => python.columns(symbol, candles, { indicators: false, keep: true });
  return engineStrategy(python.description, columns, python.callbacks());
}

const secret = ['api_server', 'telegram', 'discord', 'webhook', 'db_url', 'coingecko', 'external_message_consumer'];
const secretOfExchange = ['key', 'secret', 'password', 'uid', 'account_id', 'wallet_address', 'private_key', 'ccxt_config'];

/** A strategy has no use for keys, tokens and passwords. */
function withoutSecrets(config: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !secret.includes(key) && !secretOfExchange.includes(key)));
}
