import type { Trade } from '../account/trade.ts';
import type { Wallet } from '../account/wallet.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import type { Direction } from '../market/direction.ts';
import type { Instrument } from '../market/instrument.ts';
import type { PriceBar } from '../market/price-bar.ts';
import { roundPrice, truncateAmount } from '../market/rounding.ts';
import type { EntryQuestion, StrategyCallbacks } from '../strategy/callbacks.ts';
import type { SizeFacts, SizeGate } from './gate.ts';
import { maxLeverageFor } from './leverage.ts';
import type { Quirks } from './quirks.ts';
import { fitStake, maxStake, minStake, proposedStake, wantedStake } from './stake.ts';

/** The price of an entry on a bar: the open, or for a limit order what the strategy asks, held inside the bar. */
export function entryPrice(
  question: EntryQuestion,
  bar: PriceBar,
  priceTick: number,
  settings: TradingSettings,
  callbacks: StrategyCallbacks,
  trade: Trade | null = null,
): number {
  const proposedPrice = bar.open;
  if (settings.orderTypes.entry !== 'limit') return proposedPrice;
  const asked = callbacks.entryPrice?.({ ...question, proposedPrice, trade }) ?? proposedPrice;
  const price = asked === proposedPrice ? asked : roundPrice(asked, priceTick);
  return question.direction === 'long' ? Math.min(price, bar.high) : Math.max(price, bar.low);
}

/** How large a new trade is. */
export interface EntrySize {
  stake: number;
  amount: number;
  leverage: number;
}

/** What an entry is to cost for each unit, and what the market asked when it was decided: the open of a candle, or the price now. */
export interface EntryPrices {
  entry: number;
  market: number;
}

/** A size, or the gate that refused it with what stood against it. */
export type SizedEntry = { ok: true; size: EntrySize } | { ok: false; reason: SizeGate; facts: SizeFacts };

/**
 * The size of a first entry from wallet, limits and the strategy's own wishes.
 *
 * leverageOnlyFromCallback: a leverage callback has the say; without the quirk the leverage of the settings has. minimumStakeAssumesConstantStop: the reserve of the
 * smallest stake is made for a stop of 5 per cent, whatever the real one.
 */
export function sizeEntry(
  question: EntryQuestion,
  { entry: price, market }: EntryPrices,
  wallet: Wallet,
  instrument: Instrument,
  settings: TradingSettings,
  callbacks: StrategyCallbacks,
  quirks: Quirks,
): SizedEntry {
  const { available } = wallet;
  const no = (reason: SizeGate, wanted: number, limit: number | null): SizedEntry => ({
    ok: false,
    reason,
    facts: { stake: wanted, available, limit },
  });
  const proposed = proposedStake(settings, wallet);
  if (proposed === null) return no('insufficient-balance', wantedStake(settings, wallet), null);
  const maxLeverage = maxLeverageFor(instrument, proposed);
  if (maxLeverage === null) return no('stake-too-large', proposed, null);
  let leverage = 1;
  if (settings.marketType !== 'spot') {
    const asked = quirks.leverageOnlyFromCallback
      ? callbacks.leverage?.({ ...question, price: market, proposedLeverage: settings.leverage, maxLeverage })
      : undefined;
    leverage = Math.min(Math.max(asked ?? settings.leverage, 1), maxLeverage);
  }
  const min = minStake(instrument, price, quirks.minimumStakeAssumesConstantStop ? 0.05 : settings.stoploss, leverage, settings, quirks);
  const max = maxStake(instrument, price, leverage, settings, quirks);
  const stake =
    callbacks.stake?.({
      ...question,
      price,
      leverage,
      proposedStake: proposed,
      minStake: min,
      maxStake: Math.min(max, available),
    }) ?? proposed;
  const fitted = fitStake(stake, { min, max, available, tiedInTrade: 0 });
  if (fitted === null) {
    if (!(stake > 0) && proposed > 0) return no('refused-by-strategy', stake, null);
    if (!(stake > 0)) {
      // The last stake may be smaller, but not by so much.
      const wanted = wantedStake(settings, wallet);
      return no('insufficient-balance', wanted, wanted * settings.lastStakeAmountMinRatio);
    }
    if (min > max) return no('stake-too-large', stake, max);
    // A fixed stake that is too small by itself is the cause, whatever the balance.
    const isBalance = min > available && !(settings.stakeAmount !== 'unlimited' && settings.stakeAmount * 1.3 < min);
    return no(isBalance ? 'insufficient-balance' : 'stake-too-small', stake, min);
  }
  const amount = entryAmount(fitted, price, leverage, instrument);
  if (amount === 0) return no('amount-too-small', fitted, null);
  return { ok: true, size: { stake: (amount * price) / leverage, amount, leverage } };
}

/** The amount of a further entry of about `stake`; 0 when none fits. */
export function furtherEntryAmount(
  trade: Trade,
  stake: number,
  price: number,
  available: number,
  instrument: Instrument,
  settings: TradingSettings,
  quirks: Quirks,
): number {
  const fitted = fitStake(stake, {
    min: minStake(instrument, price, 0, trade.leverage, settings, quirks),
    max: maxStake(instrument, price, trade.leverage, settings, quirks),
    available,
    tiedInTrade: trade.stake,
  });
  return entryAmount(fitted ?? 0, price, trade.leverage, instrument);
}

/** What a stake buys, cut to the instrument's step. */
export function entryAmount(stake: number, price: number, leverage: number, instrument: Instrument): number {
  return truncateAmount((stake / price) * leverage, instrument.amountStep, instrument.contractSize);
}

/** A trade whose first order is about to be made; nothing is held yet. */
export function newTrade(start: {
  id: number;
  instrument: Instrument;
  direction: Direction;
  time: number;
  tag: string | null;
  price: number;
  size: EntrySize;
  priceTick: number;
  feeOpen: number;
  feeClose: number;
  settings: TradingSettings;
}): Trade {
  const { instrument, settings } = start;
  return {
    id: start.id,
    symbol: instrument.symbol,
    direction: start.direction,
    marketType: settings.marketType,
    leverage: start.size.leverage,
    ...(settings.marketType === 'futures' ? { marginMode: settings.marginMode } : {}),
    openTime: start.time,
    closeTime: null,
    enterTag: start.tag,
    exitReason: null,
    isOpen: true,
    orders: [],
    priceTick: start.priceTick,
    amountStep: instrument.amountStep,
    contractSize: instrument.contractSize,
    feeOpen: start.feeOpen,
    feeClose: start.feeClose,
    interest: settings.marketType === 'margin' ? { scheme: settings.interestScheme, ratePerPeriod: settings.interestRate } : null,
    amount: 0,
    stake: start.size.stake,
    stakeMax: 0,
    openRate: start.price,
    openValue: 0,
    closeRate: null,
    stop: 0,
    stopRatio: settings.stoploss,
    initialStop: 0,
    initialStopRatio: settings.stoploss,
    isStopTrailing: false,
    liquidationPrice: null,
    minRate: start.price,
    maxRate: start.price,
    fundingRunning: 0,
    fundingFees: 0,
    realizedProfit: 0,
    profit: null,
    profitRatio: null,
  };
}
