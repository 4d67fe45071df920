import { times, toDecimal, toText } from '#engine/market/decimal.ts';
import type { Markets } from '#feeds/markets.ts';
import type { BotSettings } from '#storage/bots/bot-settings.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { findStrategyById, type StrategyView } from '#storage/strategies/strategies.ts';
import { type KnownStrategy, requireKnownStrategy } from '#strategies/known-strategy.ts';
import type { Call } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import { refuseUnoffered, refuseUnofferedTimeframe } from '../exchanges/offered.ts';
import { changedOwnSettings } from './own-settings.ts';
import { refuseUnrunnableVersion } from './strategy-on-market.ts';

/** What a bot trades, where, and with how much: its settings without its name. */
export type BotTrading = Omit<BotSettings, 'nickname'>;

/** The trading of a new bot on a strategy, as a call gives it. Fails: 400 for own settings that are refused */
export function newTrading(body: Call<'newBotHindsight'>['body'], strategy: KnownStrategy): BotTrading {
  return {
    exchangeId: body.exchange_id,
    marketType: body.margin_mode,
    stakeCurrency: body.stake_currency,
    stakeAmount: String(body.stake_amount),
    symbols: [...new Set(body.trading_pairs)],
    maxOpenTrades: body.max_open_trades,
    leverage: String(body.leverage),
    leverageMode: body.leverage_mode,
    ownSettings: changedOwnSettings({}, body.own_settings, strategy),
  };
}

/** The trading of a bot on a strategy, with the changes of a call. Fails: 400 for own settings that are refused */
export function changedTrading(before: BotTrading, body: Call<'botHindsight'>['body'], strategy: KnownStrategy): BotTrading {
  return {
    exchangeId: body.exchange_id ?? before.exchangeId,
    marketType: body.margin_mode ?? before.marketType,
    stakeCurrency: body.stake_currency ?? before.stakeCurrency,
    stakeAmount: body.stake_amount === undefined ? before.stakeAmount : String(body.stake_amount),
    symbols: body.trading_pairs === undefined ? before.symbols : [...new Set(body.trading_pairs)],
    maxOpenTrades: body.max_open_trades ?? before.maxOpenTrades,
    leverage: body.leverage === undefined ? before.leverage : String(body.leverage),
    leverageMode: body.leverage_mode ?? before.leverageMode,
    ownSettings: changedOwnSettings(before.ownSettings, body.own_settings, strategy),
  };
}

/** The capital of a new bot: its stake times its slots. An exact decimal. */
export function firstCapital(body: { stake_amount: number; max_open_trades: number }): string {
  return toText(times(toDecimal(body.stake_amount), toDecimal(body.max_open_trades)));
}

/** Whether a change takes a bot to another exchange, market or currency. */
export function isElsewhere(before: BotTrading, after: BotTrading): boolean {
  return before.exchangeId !== after.exchangeId || before.marketType !== after.marketType || before.stakeCurrency !== after.stakeCurrency;
}

/** Fails unless the exchange offers what a change of a bot adds. What the bot trades already is not asked about. */
export async function refuseUnofferedChange(
  { db, markets }: { db: Database; markets: Markets },
  before: BotView,
  after: BotTrading,
): Promise<void> {
  const moves = isElsewhere(before, after);
  const timeframe = after.ownSettings.timeframe ?? before.strategyTimeframe;
  const isOtherTimeframe = timeframe !== (before.ownSettings.timeframe ?? before.strategyTimeframe);
  const isNew = after.symbols.some((symbol) => !before.symbols.includes(symbol));
  if (moves || isNew || isOtherTimeframe) await refuseUnrunnableVersion({ db, markets }, before.codeId, { ...after, timeframe });
  if (moves || isOtherTimeframe) await refuseUnofferedTimeframe(markets, after, timeframe);
  if (!moves && !isNew) return;
  const strategy = await strategyOf(db, before.strategyId);
  await refuseUnoffered(markets, after, strategy.supportedExchanges, moves ? [] : before.symbols);
}

/** What is known of the strategy that a bot runs, or of the newest version of a strategy. Fails: Error for one that this version does not have */
export function knownOf(of: { strategyClass: string; codeDescription: BotView['codeDescription'] } | StrategyView): KnownStrategy {
  return requireKnownStrategy('strategyClass' in of ? of.strategyClass : of.className, of.codeDescription);
}

/** The strategy with this id. Fails: 404 */
export async function strategyOf(db: Database, id: string): Promise<StrategyView> {
  const strategy = await findStrategyById(db, id);
  if (strategy === null) throw new HttpError(404, 'Strategy not found');
  return strategy;
}
