import { isLiveAllowed } from '#storage/trades/trade-mode.ts';
import { findDrill } from '#storage/bots/drills.ts';
import { exchangeFigures } from '#feeds/exchange-clocks.ts';
import { findKeyCheck } from '#storage/exchange-accounts/api-keys.ts';
import { storeFault } from '#storage/installation/store-fault.ts';
import { openSymbols } from '#storage/trades/trades.ts';
import { readTradingState } from '#storage/trading/trading-states.ts';
import { isFresh } from '../auth/step-up.ts';
import { strategyOf } from '../bots/bot-trading.ts';
import type { Handlers } from '../calls/call.ts';
import { drillHash, drillReply } from '../bots/drill.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { ownBot } from '../bots/visible-bots.ts';

/** What is known of a bot before it trades live; it decides nothing, the switch to live checks for itself. */
export function liveCheckHandlers(dependencies: Pick<ServerDependencies, 'db' | 'liveTrading'>): Pick<Handlers, 'liveCheck'> {
  const { db, liveTrading } = dependencies;
  return {
    async liveCheck({ caller, params, now }) {
      const bot = await ownBot(db, caller, params.id);
      const [key, fault, state, open, { offsetsMs }, strategy, drill] = await Promise.all([
        bot.apiKeyId === null ? null : findKeyCheck(db, bot.apiKeyId),
        storeFault(db),
        readTradingState(db, bot.id),
        openSymbols(db, bot.id),
        exchangeFigures(),
        strategyOf(db, bot.strategyId),
        findDrill(db, bot.id),
      ]);
      return {
        key:
          key === null
            ? null
            : {
                label: key.label,
                hint: key.keyHint,
                checked_at: key.checkedAt?.toISOString() ?? null,
                check: key.checkResult,
                can_trade: key.canTrade,
                can_withdraw: key.canWithdraw,
              },
        live_enabled: isLiveAllowed(liveTrading, bot.exchangeId),
        store_fault: fault,
        trading_state: state,
        owner_verified: bot.ownerVerified,
        open_trades: open.length,
        clock_offset_ms: offsetsMs.get(bot.exchangeId) ?? null,
        password_needed: !isFresh(caller, now),
        drill: drill === null ? null : drillReply(drill, drillHash(bot, strategy)),
      };
    },
  };
}
