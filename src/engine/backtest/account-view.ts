import type { Trade } from '../account/trade.ts';
import type { Wallet } from '../account/wallet.ts';

/**
 * The account of a backtest that is under way, as it is whenever it is asked: for strategies whose callbacks look beyond the trade they are
 * asked about. Nothing of it may be changed.
 */
export interface AccountView {
  openTrades(): readonly Trade[]; // in opening order
  closedTrades(): readonly Trade[]; // in closing order; they never change again
  wallet(): Wallet; // as the reference counts it at that moment
}
