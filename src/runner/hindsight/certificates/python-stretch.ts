import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { KeptSettings } from '#storage/bots/bot-settings.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import { botWords } from '#strategy-process/python/bot-words.ts';
import type { KeptPythonDescription } from '#strategy-process/python/python-facts.ts';
import { leastPythonCandles } from '../../bots/python-strategy.ts';
import { windowSize } from '../../bots/runnable-strategy.ts';
import type { PythonOfStretch } from './certificate-task.ts';

/** What a class is made with that a bot runs under some settings: as the bot itself makes it, as it looks from inside. */
export function pythonOfStretch(
  kept: KeptPythonDescription,
  bot: Pick<KeptSettings, 'exchangeId' | 'marketType' | 'symbols'>,
  { timeframe, settings, parameters }: { timeframe: Timeframe; settings: TradingSettings; parameters: ParameterValues },
  { mode, program }: { mode: TradeMode; program: string },
): PythonOfStretch {
  const { exchangeId, marketType, symbols: pairs } = bot;
  return {
    program,
    config: botWords({ exchangeId, pairs, timeframe, settings, runmode: mode === 'paper' ? 'dry_run' : 'live' }),
    parameters,
    exchangeId,
    marketType,
    window: windowSize({ startupCandles: kept.startupCandles, leastCandles: leastPythonCandles }),
    unannounced: kept.python.unannounced,
    readsAccount: kept.python.readsAccount,
  };
}
