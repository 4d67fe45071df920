import type { Trade } from '#engine/account/trade.ts';
import { tradableAtStart, walletOf } from '#engine/account/wallet.ts';
import type { BotState } from '#engine/bot/state.ts';
import type { Database } from '#storage/database.ts';
import { closedStates } from '#storage/trades/closed-states.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import type { AccountNow } from '#strategy-process/strategy-processes.ts';

/** More closed trades than this are not read at once: the newest count. */
const mostAtOnce = 5_000;

/** The account of a bot for a strategy that asks for it: as it was when the step began. */
export class AccountOfBot {
  readonly #db: Database;
  readonly #of: { botId: string; mode: TradeMode };
  readonly #most: number;
  readonly #closed: Trade[] = []; // only added to: a strategy is sent what has been added since it was last asked
  readonly #known = new Set<string>(); // the ids of their rows
  #count: number | null = null; // of closed trades when they were read

  constructor(db: Database, of: { botId: string; mode: TradeMode }, most = mostAtOnce) {
    this.#db = db;
    this.#of = of;
    this.#most = most;
  }

  /** The account in a state of the bot, which has closed so many trades. */
  async now({ settings, trades, closedProfit }: Readonly<BotState>, closedTrades: number): Promise<AccountNow> {
    if (this.#count !== closedTrades) {
      for (const { id, state } of await closedStates(this.#db, this.#of.botId, this.#of.mode, this.#most)) {
        if (this.#known.has(id)) continue;
        this.#known.add(id);
        this.#closed.push(state as Trade);
      }
      this.#count = closedTrades;
    }
    return {
      open: trades,
      closed: this.#closed,
      wallet: walletOf(settings, closedProfit, trades),
      startingBalance: tradableAtStart(settings),
    };
  }
}
