import { changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import type { TurnedSettings, UseForBot } from '../backtest/what-if/use-for-bot.ts';
import { resetDraft, typeInto } from '../bots/configure/draft-store.ts';
import type { OwnEntries } from '../bots/configure/own/own-entries.ts';
import { ownEntriesOf, percentOf, roiLines, trailingEntries } from '../bots/configure/own/own-entries.ts';
import { quoteOf } from '../ui/money.ts';

/** Opens the form of the bot that was replayed, or of a new one for a backtest, with what was turned. A fee is the exchange's: it is not taken. */
export const openBotOfWhatIf: UseForBot = async (turned) => {
  const { setup } = turned;
  const own = ownOf(turned);
  if (setup.bot === null) {
    resetDraft();
    typeInto(null, null, {
      strategyId: setup.strategy.id,
      exchangeId: setup.exchange_id,
      marketType: setup.trading_mode,
      stakeCurrency: quoteOf(setup.pairs[0] ?? ''),
      pairs: [...setup.pairs],
      ...amountsOf(turned, ['stake', 'maxOpenTrades']),
      own,
    });
  } else {
    const stored = await api.getBot({ params: { id: setup.bot.id } });
    resetDraft();
    typeInto(stored.id, stored, { ...amountsOf(turned, turned.names), own: { ...ownEntriesOf(stored.own_settings), ...own } });
  }
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

function amountsOf({ settings }: TurnedSettings, names: readonly string[]): { stakeAmount?: string; maxOpenTrades?: string } {
  const { stakeAmount, maxOpenTrades } = settings;
  return {
    ...(names.includes('stake') && stakeAmount !== 'unlimited' ? { stakeAmount: String(stakeAmount) } : {}),
    ...(names.includes('maxOpenTrades') && maxOpenTrades > 0 ? { maxOpenTrades: String(maxOpenTrades) } : {}),
  };
}

/** What was turned, as the form has it; what was not turned stays inherited. */
function ownOf({ settings, parameters, names }: TurnedSettings): OwnEntries {
  const isTurned = (...keys: string[]): boolean => keys.some((key) => names.includes(key));
  const { minimalRoi } = settings;
  return {
    ...(isTurned('stoploss') ? { stoploss: percentOf(Math.abs(settings.stoploss)) } : {}),
    ...(isTurned('trailingStop', 'trailingOffset')
      ? trailingEntries({
          trailing_stop: settings.trailingStop,
          trailing_stop_positive: settings.trailingStopPositive ?? 0,
          trailing_stop_positive_offset: settings.trailingStopPositiveOffset,
          trailing_only_offset_is_reached: settings.trailingOnlyOffsetIsReached,
        })
      : {}),
    ...(isTurned('roiAtOnce')
      ? {
          minimal_roi: JSON.stringify(
            roiLines(Object.fromEntries(minimalRoi.minutes.map((minute, i) => [minute, minimalRoi.ratios[i] ?? 0]))),
          ),
        }
      : {}),
    ...Object.fromEntries(
      Object.entries(parameters).flatMap(([name, value]) =>
        isTurned(`parameters.${name}`) ? [[`parameters.${name}`, String(value)]] : [],
      ),
    ),
  };
}
