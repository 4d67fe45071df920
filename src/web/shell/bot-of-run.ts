import { changeAddress } from '../address/address.ts';
import type { MakeBot } from '../backtest/run-actions.tsx';
import { resetDraft, typeInto } from '../bots/configure/draft-store.ts';
import { quoteOf } from '../ui/money.ts';

/** Opens the form of a new bot with the settings of a backtest. */
export const openBotOfRun: MakeBot = (run, exchangeId) => {
  resetDraft();
  typeInto(null, null, {
    strategyId: run.strategy_id,
    exchangeId,
    marketType: run.trading_mode,
    stakeCurrency: quoteOf(run.symbol),
    pairs: [run.symbol],
    stakeAmount: String(run.stake_amount),
    maxOpenTrades: String(run.max_open_trades),
  });
  changeAddress({ tab: 'bot_control', view: 'configure', bot: null, pair: null, run: null, compare: null, trade: null });
};
