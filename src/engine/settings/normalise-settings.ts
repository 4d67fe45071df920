import type { OrderTypes, PricingSettings, RoiTable, TradingSettings, UnfilledTimeout } from './trading-settings.ts';

/** What must be given, and what may be. A missing or undefined field takes its default. */
export type SettingsInput = { [Key in keyof Omit<TradingSettings, NestedKey>]?: TradingSettings[Key] | undefined } & {
  stoploss: number;
  stakeAmount: number | 'unlimited';
  maxOpenTrades: number;
  minimalRoi?: Readonly<Record<number, number>> | undefined; // minutes to ratio; left out means practically never, empty means none
  orderTypes?: Partial<OrderTypes> | undefined;
  entryPricing?: Partial<PricingSettings> | undefined;
  exitPricing?: Partial<PricingSettings> | undefined;
  unfilledTimeout?: Partial<UnfilledTimeout> | undefined;
};

type FlatSettings = Omit<TradingSettings, NestedKey>;
type NestedKey = 'minimalRoi' | 'orderTypes' | 'entryPricing' | 'exitPricing' | 'unfilledTimeout';

/** Checked settings, or every reason why they were refused, each one sentence. */
export type SettingsResult = { ok: true; settings: TradingSettings } | { ok: false; reasons: string[] };

/** Completes settings with their defaults and checks them. */
export function normaliseSettings(input: SettingsInput): SettingsResult {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<FlatSettings>;
  const settings: TradingSettings = {
    ...defaultSettings,
    ...given,
    stakeAmount: input.stakeAmount,
    maxOpenTrades: input.maxOpenTrades,
    stoploss: -Math.abs(input.stoploss),
    minimalRoi: toRoiTable(input.minimalRoi ?? { 0: 10 }),
    orderTypes: { ...defaultSettings.orderTypes, ...input.orderTypes },
    entryPricing: { ...defaultSettings.entryPricing, ...input.entryPricing },
    exitPricing: { ...defaultSettings.exitPricing, ...input.exitPricing },
    unfilledTimeout: { ...defaultSettings.unfilledTimeout, ...input.unfilledTimeout },
  };
  // Shorting needs a market on which one can borrow or be short.
  settings.canShort = settings.canShort && settings.marketType !== 'spot';
  if (settings.marketType === 'spot') settings.leverage = 1;
  const reasons = refusals(settings, input);
  return reasons.length === 0 ? { ok: true, settings } : { ok: false, reasons };
}

/** Settings or an error with all reasons; for callers that cannot continue without. */
export function requireSettings(input: SettingsInput): TradingSettings {
  const result = normaliseSettings(input);
  if (!result.ok) throw new RangeError(result.reasons.join(' '));
  return result.settings;
}

/** A ROI table from minutes to ratios: keys cut to whole minutes, ascending. */
export function toRoiTable(table: Readonly<Record<string, number>>): RoiTable {
  const rows = Object.entries(table).map(([minutes, ratio]): [number, number] => [Math.trunc(Number(minutes)), ratio]);
  rows.sort((a, b) => a[0] - b[0]);
  return { minutes: rows.map(([minutes]) => minutes), ratios: rows.map(([, ratio]) => ratio) };
}

const defaultSettings: Omit<TradingSettings, 'stoploss' | 'stakeAmount' | 'maxOpenTrades' | 'minimalRoi'> = {
  marketType: 'spot',
  canShort: false,
  marginMode: 'isolated',
  liquidationFormula: 'generic',
  largestStakeRule: 'tier-of-leverage',
  leverage: 1,
  interestScheme: 'binance',
  interestRate: 0,
  startingBalance: 1000,
  tradableBalanceRatio: 0.99,
  availableCapital: null,
  amendLastStakeAmount: false,
  lastStakeAmountMinRatio: 0.5,
  amountReserveRatio: 0.05,
  fee: null,
  trailingStop: false,
  trailingStopPositive: null,
  trailingStopPositiveOffset: 0,
  trailingOnlyOffsetIsReached: false,
  riskRewardRatio: null,
  maxConsecutiveLosses: 0,
  useExitSignal: true,
  exitProfitOnly: false,
  exitProfitOffset: 0,
  ignoreRoiIfEntrySignal: false,
  ignoreExpiredAfterMs: 0,
  liquidationBuffer: 0.05,
  customPriceMaxDistanceRatio: 0.02,
  positionAdjustment: false,
  maxEntryAdjustments: -1,
  positionStacking: false,
  protections: [],
  orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'limit', emergencyExit: 'market', forceEntry: 'limit', forceExit: 'limit' },
  entryPricing: { side: 'same', useOrderBook: false, orderBookTop: 1, priceLastBalance: 0 },
  exitPricing: { side: 'same', useOrderBook: false, orderBookTop: 1, priceLastBalance: 0 },
  unfilledTimeout: { entryMs: null, exitMs: null, exitTimeoutCount: 0 },
};

function refusals(settings: TradingSettings, input: SettingsInput): string[] {
  const reasons: string[] = [];
  const refuse = (isWrong: boolean, reason: string): void => {
    if (isWrong) reasons.push(reason);
  };
  const { stakeAmount, maxOpenTrades, trailingStop, trailingStopPositive: positive, trailingStopPositiveOffset: offset } = settings;
  const isUnlimited = stakeAmount === 'unlimited';
  refuse(!Number.isFinite(settings.stoploss) || settings.stoploss === 0, 'The stoploss must be a ratio other than 0, for example -0.1.');
  refuse(
    !isUnlimited && !(stakeAmount > 0 && stakeAmount < Infinity),
    `The stake amount must be a positive number or "unlimited", and was ${stakeAmount}.`,
  );
  refuse(
    !Number.isInteger(maxOpenTrades) || maxOpenTrades < -1,
    `The number of open trades must be a whole number, or -1 for no limit, and was ${maxOpenTrades}.`,
  );
  refuse(isUnlimited && maxOpenTrades === -1, 'An unlimited stake needs a limit of open trades, to know by how many to divide.');
  refuse(
    !(settings.startingBalance > 0 && settings.startingBalance < Infinity),
    `The starting balance must be a positive number, and was ${settings.startingBalance}.`,
  );
  refuse(
    !(settings.tradableBalanceRatio >= 0 && settings.tradableBalanceRatio <= 1),
    `The tradable balance ratio must be from 0 to 1, and was ${settings.tradableBalanceRatio}.`,
  );
  refuse(!(settings.leverage >= 1 && settings.leverage < Infinity), `The leverage must be at least 1, and was ${settings.leverage}.`);
  refuse(
    !(settings.interestRate >= 0 && settings.interestRate < 1),
    `The interest rate must be a fraction from 0 to below 1, and was ${settings.interestRate}.`,
  );
  refuse(
    settings.fee !== null && !(settings.fee >= 0 && settings.fee < 1),
    `The fee must be a fraction from 0 to below 1, and was ${settings.fee}.`,
  );
  refuse(
    settings.riskRewardRatio !== null && !(settings.riskRewardRatio > 0),
    `The risk reward ratio must be positive, and was ${settings.riskRewardRatio}.`,
  );
  refuse(
    !Number.isInteger(settings.maxConsecutiveLosses) || settings.maxConsecutiveLosses < 0,
    `The number of consecutive losses must be a whole number of at least 0, and was ${settings.maxConsecutiveLosses}.`,
  );
  refuse(
    settings.minimalRoi.minutes.some((minutes) => !(minutes >= 0)) || settings.minimalRoi.ratios.some((ratio) => !Number.isFinite(ratio)),
    'The ROI table must map whole minutes of at least 0 to ratios.',
  );
  if (trailingStop) {
    refuse(positive !== null && !(positive > 0), 'A positive trailing stop of 0 would exit at once: leave it out or give a ratio above 0.');
    refuse(
      settings.trailingOnlyOffsetIsReached && !(positive !== null && positive > 0),
      'Trailing only above the offset needs a positive trailing stop.',
    );
    refuse(
      positive !== null && offset > 0 && offset <= positive,
      `The trailing offset (${offset}) must be above the positive trailing stop (${positive}).`,
    );
  }
  refuse(
    settings.positionStacking && settings.marketType !== 'spot' && settings.marginMode === 'cross',
    'Position stacking is not offered with cross margin.',
  );
  refuse(
    settings.orderTypes.entry === 'market' &&
      input.entryPricing?.side !== undefined &&
      !['other', 'ask'].includes(settings.entryPricing.side),
    'Market entries need the price side "other" or "ask".',
  );
  refuse(
    settings.orderTypes.exit === 'market' && input.exitPricing?.side !== undefined && !['other', 'bid'].includes(settings.exitPricing.side),
    'Market exits need the price side "other" or "bid".',
  );
  return reasons;
}
