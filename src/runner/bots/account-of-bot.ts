import type { Trade } from '#engine/account/trade.ts';
import { walletOf } from '#engine/account/wallet.ts';
import type { BotState } from '#engine/bot/state.ts';
import type { Database } from '#storage/database.ts';
import { closedStates } from '#storage/trades/closed-states.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import type { AccountNow } from '#strategy-process/strategy-processes.ts';

/** The account of a bot for a strategy that asks for it: as it was when the step began. */
export class AccountOfBot {
  readonly #db: Database;
  readonly #of: { botId: string; mode: TradeMode };
  #closed: readonly Trade[] = [];
  #count: number | null = null; // of closed trades when they were read

  constructor(db: Database, of: { botId: string; mode: TradeMode }) {
    this.#db = db;
    this.#of = of;
  }

  /** The account in a state of the bot, which has closed so many trades. */
  async now({ settings, trades, closedProfit }: Readonly<BotState>, closedTrades: number): Promise<AccountNow> {
    if (this.#count !== closedTrades) {
      this.#closed = (await closedStates(this.#db, this.#of.botId, this.#of.mode)) as Trade[];
      this.#count = closedTrades;
    }
    const { startingBalance, tradableBalanceRatio, availableCapital } = settings;
    return {
      open: trades,
      closed: this.#closed,
      wallet: walletOf(settings, closedProfit, trades),
      startingBalance: availableCapital ?? startingBalance * tradableBalanceRatio,
    };
  }
}
