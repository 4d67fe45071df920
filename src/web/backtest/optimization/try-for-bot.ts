import type { OwnSettings } from '#contract/own-settings.ts';
import { valuesAt } from '#engine/lab/dimension.ts';
import { turnedSettings } from '#engine/lab/search-space.ts';
import { settingsOfRun } from '../settings-of-run.ts';
import type { Epoch, StudyItem } from './use-studies.ts';

/** What the form of a bot is filled in with. */
export interface BotOfTry {
  strategyId: string;
  exchangeId: string;
  marketType: 'spot' | 'futures';
  pairs: string[];
  stakeAmount: number;
  maxOpenTrades: number;
  isMaxOpenTradesTurned: boolean; // it was searched; else it is that of the study
  leverage: number;
  own: OwnSettings; // in place of its strategy's
}

/** Opens the form of a bot (null: a new one), filled in with a try. Fails: as the call that loads the bot */
export type UseTry = (bot: BotOfTry, botId: string | null) => Promise<void>;

/** A try as the settings of a bot: what it turned, and else what the study began with. Protections are not a bot's own. */
export function tryForBot({ strategy_id, exchange_id, plan, bot, dimensions }: StudyItem, { point }: Pick<Epoch, 'point'>): BotOfTry {
  const values = valuesAt(dimensions, point);
  const turned = turnedSettings(values);
  const parameters = Object.fromEntries(
    dimensions.flatMap(({ name, space }) => (space === 'buy' || space === 'sell' ? [[name, values[name] ?? 0]] : [])),
  );
  const { maxOpenTrades = plan.max_open_trades } = turned;
  return {
    strategyId: strategy_id,
    exchangeId: exchange_id,
    marketType: plan.trading_mode,
    pairs: plan.pairs,
    stakeAmount: plan.stake_amount ?? plan.starting_balance / plan.max_open_trades,
    maxOpenTrades: maxOpenTrades > 0 ? maxOpenTrades : plan.max_open_trades, // a bot has a limit
    isMaxOpenTradesTurned: turned.maxOpenTrades !== undefined,
    leverage: plan.leverage,
    own: {
      timeframe: plan.timeframe,
      ...(bot === null ? {} : settingsOfRun(bot)),
      ...(turned.stoploss === undefined ? {} : { stoploss: turned.stoploss }),
      ...(turned.minimalRoi === undefined
        ? {}
        : {
            minimal_roi: Object.fromEntries(
              turned.minimalRoi.minutes.map((minutes, i) => [String(minutes), turned.minimalRoi?.ratios[i] ?? 0]),
            ),
          }),
      ...(turned.trailingStop === undefined
        ? {}
        : {
            trailing: {
              trailing_stop: turned.trailingStop,
              trailing_stop_positive: turned.trailingStopPositive ?? 0,
              trailing_stop_positive_offset: turned.trailingStopPositiveOffset ?? 0,
              trailing_only_offset_is_reached: turned.trailingOnlyOffsetIsReached ?? false,
            },
          }),
      parameters: { ...bot?.parameters, ...parameters },
    },
  };
}
