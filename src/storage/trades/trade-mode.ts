import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** How the trades of a bot are made: simulated, real, or real on a test network. */
export type TradeMode = 'paper' | 'live' | 'testnet';

/** Whether an exchange is a test network: the built-in market simulator, or an exchange's own. */
export function isTestNetwork(exchangeId: string): boolean {
  return exchangeId === 'sandbox' || exchangeId.endsWith('_testnet');
}

/** Where live bots may trade: nowhere, at test networks, or at all exchanges. */
export type LiveTrading = 'off' | 'sandbox' | 'on';

/** Whether a bot may be live at an exchange. */
export function isLiveAllowed(liveTrading: LiveTrading, exchangeId: string): boolean {
  return liveTrading === 'on' || (liveTrading === 'sandbox' && isTestNetwork(exchangeId));
}

/** The mode that a bot's trades have now. */
export function tradeModeOf(bot: { mode: 'paper' | 'live'; exchangeId: string }): TradeMode {
  if (bot.mode === 'paper') return 'paper';
  return isTestNetwork(bot.exchangeId) ? 'testnet' : 'live';
}

/** `tradeModeOf` for a row of bots, in SQL. */
export const tradeModeSql: RawBuilder<TradeMode> = sql<TradeMode>`
  case when bots.mode = 'paper' then 'paper'
       when bots.exchange_id = 'sandbox' or right(bots.exchange_id, 8) = '_testnet' then 'testnet'
       else 'live' end`;
