import { tradingModes } from '#contract/backtests.ts';
import type { Bot } from '#contract/bots.ts';
import { changeAddress } from '../address/address.ts';
import { fillIn } from '../backtest/backtest-store.ts';
import { settingsWords } from '../backtest/settings-words.ts';

/** Opens Backtest, filled with what a bot trades and how: its first pair, and its own settings where it has some. */
export function openBacktestOfBot(bot: Bot): void {
  const tradingMode = tradingModes.find((mode) => mode === bot.margin_mode);
  if (tradingMode === undefined) return;
  fillIn({
    strategyId: bot.strategy_id,
    exchangeId: bot.exchange_id,
    symbol: bot.trading_pairs[0] ?? '',
    tradingMode,
    timeframe: bot.timeframe,
    stakeAmount: bot.stake_amount,
    maxOpenTrades: bot.max_open_trades,
    bot: {
      id: bot.id,
      nickname: bot.nickname,
      pairs: bot.trading_pairs,
      currency: bot.stake_currency,
      timeframe: bot.timeframe,
      words: settingsWords({ ...bot, parameters: bot.own_settings.parameters ?? {}, ...bot.own_settings.trailing }),
    },
  });
  changeAddress({ tab: 'backtest', view: null, run: null, compare: null, trade: null, order: null, why: null });
}
