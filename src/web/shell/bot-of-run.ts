import { changeAddress } from '../address/address.ts';
import type { MakeBot } from '../backtest/run-actions.tsx';
import { settingsOfRun } from '../backtest/settings-of-run.ts';
import { resetDraft, typeInto } from '../bots/configure/draft-store.ts';
import { quoteOf } from '../ui/money.ts';
import { ownUnlike } from './own-of-run.ts';

/** What opens the form of a new bot with what a backtest was made of: its timeframe, and the settings of the bot if it was one's. */
export async function botOfRun(...[run, exchangeId]: Parameters<MakeBot>): Promise<() => void> {
  const { bot } = run;
  const own = await ownUnlike(run.strategy_id, { timeframe: run.timeframe, ...(bot === null ? {} : settingsOfRun(bot)) });
  return () => {
    resetDraft();
    typeInto(null, null, {
      strategyId: run.strategy_id,
      exchangeId,
      marketType: run.trading_mode,
      stakeCurrency: quoteOf(run.symbol),
      pairs: [run.symbol],
      stakeAmount: String(run.stake_amount),
      maxOpenTrades: String(run.max_open_trades),
      ...(bot === null ? {} : { leverage: String(bot.leverage), leverageMode: bot.leverage_mode }),
      own,
    });
    changeAddress({ tab: 'bot_control', view: 'configure', bot: null, pair: null, run: null, compare: null, trade: null });
  };
}
