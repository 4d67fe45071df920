import type { SettingsInput } from '#engine/settings/normalise-settings.ts';
import type { Draws } from './draws.ts';

/** Settings that the engine accepts, any of them. */
export function randomSettings(draws: Draws, marketType: 'spot' | 'futures'): SettingsInput {
  const { oneOf, happens } = draws;
  const isFutures = marketType === 'futures';
  const trailingStop = happens(0.5);
  const trailingStopPositive = trailingStop ? oneOf([null, 0.002, 0.008]) : null;
  const marginMode = isFutures && happens(0.3) ? 'cross' : 'isolated';
  return {
    marketType,
    canShort: isFutures,
    marginMode,
    leverage: isFutures ? oneOf([1, 3, 20]) : 1,
    liquidationFormula: oneOf(['binance', 'generic', 'bybit', 'bitget']),
    largestStakeRule: oneOf(['tier-of-leverage', 'last-tier']),
    startingBalance: oneOf([200, 1000, 10_000]),
    stakeAmount: oneOf<number | 'unlimited'>([60, 150, 'unlimited']),
    maxOpenTrades: oneOf([1, 2, 3]),
    tradableBalanceRatio: oneOf([1, 0.99, 0.5]),
    availableCapital: oneOf([null, null, 150]),
    amendLastStakeAmount: happens(0.3),
    fee: oneOf([0, 0.0004, 0.001]),
    stoploss: oneOf([-0.004, -0.02, -0.1]),
    trailingStop,
    trailingStopPositive,
    trailingStopPositiveOffset: trailingStopPositive === null ? 0 : oneOf([0, 0.01]),
    trailingOnlyOffsetIsReached: trailingStopPositive !== null && happens(0.5),
    minimalRoi: oneOf<Record<number, number>>([{}, { 0: 0.004 }, { 0: 0.02, 60: 0.004, 240: -1 }, { 0: 0.01, 40: 0.001 }]),
    riskRewardRatio: oneOf([null, null, 1.5]),
    useExitSignal: happens(0.8),
    exitProfitOnly: happens(0.2),
    ignoreRoiIfEntrySignal: happens(0.2),
    positionAdjustment: happens(0.5),
    maxEntryAdjustments: oneOf([-1, 2]),
    positionStacking: marginMode === 'isolated' && happens(0.15),
    orderTypes: happens(0.2) ? { entry: 'market', exit: 'market' } : {},
    unfilledTimeout: happens(0.5) ? { entryMs: oneOf([900_000, 3_600_000]), exitMs: oneOf([900_000, 7_200_000]) } : {},
    protections: oneOf<NonNullable<SettingsInput['protections']>>([
      [],
      [],
      [{ kind: 'cooldown', stopCandles: 3 }],
      [{ kind: 'max-drawdown', mode: 'equity', lookbackCandles: 60, tradeLimit: 3, stopCandles: 10, maxAllowedDrawdown: 0.01 }],
    ]),
  };
}
