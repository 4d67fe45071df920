import type { Timeframe } from '#engine/market/timeframe.ts';
import type { StoredBot } from '#storage/bots/running-bots.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { onCandles } from '#strategies/known-strategy.ts';
import type { Asker } from '#strategy-process/asker.ts';
import type { AccountNow, StrategyOfVersion, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import type { StrategyDescription } from '#strategy-process/wire/questions.ts';
import { strategyOfRules } from '#strategies/strategy-of-rules.ts';
import { botWords } from '#strategy-process/python/bot-words.ts';
import { type KeptPythonDescription, pythonOf } from '#strategy-process/python/python-facts.ts';
import type { StrategyTerms } from '#storage/strategies/strategy-values.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import { type BotTerms, settingsOf, valuesOf } from './bot-settings.ts';
import { pythonStrategy } from './python-strategy.ts';
import { fileToRun } from '../strategy-of-task.ts';
import type { RunnableStrategy } from './runnable-strategy.ts';
import { localStrategy, outsideStrategy } from './runnable-strategy.ts';

/** The strategy of a bot in the version that the bot names, for candles of its timeframe. Fails: Error with one sentence when this version of the program has none */
export function strategyOfBot(
  { bot, mode, strategy: terms, code }: Pick<StoredBot, 'bot' | 'mode' | 'code' | 'strategy'>,
  timeframe: Timeframe,
  processes: StrategyProcesses,
  asker: Asker, // the bot
  onError: (error: unknown) => void,
  account: () => Promise<AccountNow>, // of the bot, for a class that asks for it
): RunnableStrategy {
  if (code === null) return localStrategy(strategyOfClass(terms.className));
  // Of the same version bots share their rows, also where two people have made the same.
  if (code.document !== null) return localStrategy(strategyOfRules(code, timeframe), `rules ${code.hash}`);
  const kept = pythonOf(code.description);
  if (kept === null)
    return outsideStrategy(
      processes,
      versionOf(code),
      onCandles(code.description as unknown as StrategyDescription, timeframe),
      asker,
      onError,
    );
  return pythonStrategy(processes, versionInPython(code, kept, { ...bot, mode }, terms, timeframe), kept, asker, onError, account);
}

/** What a strategy process is given to run a version. Fails: Error for what is not a file */
function versionOf(code: StrategyCode): StrategyOfVersion {
  const { file, files, exportName } = fileToRun(code);
  return { version: { id: code.hash, file, files }, exportName };
}

/** What a Python process is given to run a version for a bot: the class is made with the bot's settings. Fails: Error for what is not a file */
function versionInPython(
  code: StrategyCode,
  kept: KeptPythonDescription,
  bot: BotTerms & { id: string; symbols: readonly string[]; mode: TradeMode },
  terms: StrategyTerms,
  timeframe: Timeframe,
): StrategyOfVersion {
  const { version, exportName } = versionOf(code);
  const values = valuesOf(bot, terms, kept);
  const settings = settingsOf(bot, values, { ...kept, callbacks: {}, adjustsPosition: kept.callbacks.includes('adjustPosition') });
  const { exchangeId, symbols: pairs } = bot;
  const config = botWords({ exchangeId, pairs, timeframe, settings, runmode: bot.mode === 'paper' ? 'dry_run' : 'live' });
  const own = kept.python.readsAccount ? { bot: bot.id } : {};
  return { version: { ...version, python: { config, pairs, parameters: values.parameters, ...own } }, exportName };
}
