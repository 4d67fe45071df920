import { changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import type { BotOfTry, UseTry } from '../backtest/optimization/try-for-bot.ts';
import { resetDraft, typeInto } from '../bots/configure/draft-store.ts';
import { ownEntriesOf } from '../bots/configure/own/own-entries.ts';
import type { BotConfig } from '../bots/use-bot-details.ts';
import { quoteOf } from '../ui/money.ts';
import { ownUnlike } from './own-of-run.ts';

/** What opens the form of a bot, or of a new one, with what a try of a study has turned. */
export async function botOfTry(...[bot, botId]: Parameters<UseTry>): Promise<() => void> {
  const fill = botId === null ? await newBot(bot) : fillIn(await api.getBot({ params: { id: botId } }), bot);
  return () => {
    resetDraft();
    fill();
    changeAddress({ tab: 'bot_control', view: 'configure', bot: botId, pair: null, run: null, compare: null, trade: null });
  };
}

async function newBot({
  own,
  stakeAmount,
  maxOpenTrades,
  leverage,
  strategyId,
  exchangeId,
  marketType,
  pairs,
}: BotOfTry): Promise<() => void> {
  const entries = await ownUnlike(strategyId, own);
  return () =>
    typeInto(null, null, {
      strategyId,
      exchangeId,
      marketType,
      pairs,
      stakeCurrency: quoteOf(pairs[0] ?? ''),
      stakeAmount: String(Number(stakeAmount.toFixed(8))),
      maxOpenTrades: String(maxOpenTrades),
      leverage: String(leverage),
      own: entries,
    });
}

/** Names of settings that decide a try, with the groups of their entries: the bot has those of the try and no others. How it orders stays. */
const decided = /^(?:timeframe|stoploss|minimal_roi|trailing_|parameters\.)/u;

function fillIn(stored: BotConfig, { own, maxOpenTrades, isMaxOpenTradesTurned }: BotOfTry): () => void {
  const kept = Object.entries(ownEntriesOf(stored.own_settings)).filter(([name]) => !decided.test(name));
  const { timeframe, ...others } = own;
  return () =>
    typeInto(stored.id, stored, {
      ...(isMaxOpenTradesTurned ? { maxOpenTrades: String(maxOpenTrades) } : {}),
      own: {
        ...Object.fromEntries(kept),
        // A timeframe that the bot trades with already stays as it was set, or inherited.
        ...ownEntriesOf(timeframe === stored.effective_timeframe ? timeframeOf(stored) : { timeframe }),
        ...Object.fromEntries(Object.entries(ownEntriesOf(others)).filter(([name]) => decided.test(name))),
      },
    });
}

function timeframeOf({ own_settings: { timeframe } }: BotConfig): Pick<BotConfig['own_settings'], 'timeframe'> {
  return timeframe === undefined ? {} : { timeframe };
}
