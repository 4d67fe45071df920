import type { OwnSettings } from '#contract/own-settings.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import { changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import type { TurnedSettings } from '../backtest/what-if/use-for-bot.ts';
import { resetDraft, typeInto } from '../bots/configure/draft-store.ts';
import type { OwnEntries } from '../bots/configure/own/own-entries.ts';
import { ownEntriesOf } from '../bots/configure/own/own-entries.ts';
import { quoteOf } from '../ui/money.ts';
import { ownUnlike } from './own-of-run.ts';

/**
 * What opens the form of the bot that was replayed, with what was turned, or of a new one for a backtest, with all that was replayed. A fee
 * is the exchange's: it is not taken.
 */
export async function botOfWhatIf(turned: TurnedSettings): Promise<() => void> {
  const { setup } = turned;
  const fill = setup.bot === null ? await newBot(turned) : await turnedBot(turned, setup.bot.id);
  return () => {
    resetDraft();
    fill();
    changeAddress({
      tab: 'bot_control',
      view: 'configure',
      bot: setup.bot?.id ?? null,
      pair: null,
      run: null,
      compare: null,
      trade: null,
      days: null,
      gate: null,
      symbol: null,
      period: null,
    });
  };
}

async function newBot(turned: TurnedSettings): Promise<() => void> {
  const { setup, settings } = turned;
  const own = await ownUnlike(setup.strategy.id, settingsOf(turned));
  return () =>
    typeInto(null, null, {
      strategyId: setup.strategy.id,
      exchangeId: setup.exchange_id,
      marketType: setup.trading_mode,
      stakeCurrency: quoteOf(setup.pairs[0] ?? ''),
      pairs: [...setup.pairs],
      ...amountsOf(turned, ['stake', 'maxOpenTrades']),
      leverage: String(settings.leverage),
      leverageMode: settings.marginMode,
      own,
    });
}

async function turnedBot(turned: TurnedSettings, id: string): Promise<() => void> {
  const stored = await api.getBot({ params: { id } });
  const own = { ...ownEntriesOf(stored.own_settings), ...ownOf(turned) };
  return () => typeInto(stored.id, stored, { ...amountsOf(turned, turned.names), own });
}

function amountsOf({ settings }: TurnedSettings, names: readonly string[]): { stakeAmount?: string; maxOpenTrades?: string } {
  const { stakeAmount, maxOpenTrades } = settings;
  return {
    ...(names.includes('stake') && stakeAmount !== 'unlimited' ? { stakeAmount: String(stakeAmount) } : {}),
    ...(names.includes('maxOpenTrades') && maxOpenTrades > 0 ? { maxOpenTrades: String(maxOpenTrades) } : {}),
  };
}

/** All that a replay is made of, as a bot sets it itself. */
function settingsOf({ setup, settings, parameters }: TurnedSettings): OwnSettings {
  const { entry, exit, stoploss } = settings.orderTypes;
  return {
    timeframe: setup.timeframe,
    stoploss: settings.stoploss,
    minimal_roi: roiOf(settings),
    trailing: trailingOf(settings),
    max_consecutive_losses: settings.maxConsecutiveLosses,
    risk_reward_ratio: settings.riskRewardRatio ?? 0,
    order_types: { entry, exit, stoploss },
    parameters,
  };
}

/** What was turned, as the form has it; what was not turned stays inherited. */
function ownOf({ settings, parameters, names }: TurnedSettings): OwnEntries {
  const isTurned = (...keys: string[]): boolean => keys.some((key) => names.includes(key));
  return ownEntriesOf({
    ...(isTurned('stoploss') ? { stoploss: settings.stoploss } : {}),
    ...(isTurned('trailingStop', 'trailingOffset') ? { trailing: trailingOf(settings) } : {}),
    ...(isTurned('roiAtOnce') ? { minimal_roi: roiOf(settings) } : {}),
    parameters: Object.fromEntries(Object.entries(parameters).filter(([name]) => isTurned(`parameters.${name}`))),
  });
}

function roiOf({ minimalRoi }: TradingSettings): Record<string, number> {
  return Object.fromEntries(minimalRoi.minutes.map((minute, i) => [minute, minimalRoi.ratios[i] ?? 0]));
}

function trailingOf(settings: TradingSettings): NonNullable<OwnSettings['trailing']> {
  return {
    trailing_stop: settings.trailingStop,
    trailing_stop_positive: settings.trailingStopPositive ?? 0,
    trailing_stop_positive_offset: settings.trailingStopPositiveOffset,
    trailing_only_offset_is_reached: settings.trailingOnlyOffsetIsReached,
  };
}
