/** How far a protection looks back and how long it locks. Minutes, unless given in candles; defaults are 60 minutes. */
interface ProtectionSpan {
  lookbackMinutes?: number;
  lookbackCandles?: number;
  stopMinutes?: number;
  stopCandles?: number;
  unlockAt?: string; // 'HH:MM' UTC, in place of a stop duration
}

/** A rule that pauses entries after bad runs. */
export type Protection =
  | (ProtectionSpan & { kind: 'cooldown' })
  | (ProtectionSpan & {
      kind: 'stoploss-guard';
      tradeLimit?: number;
      requiredProfit?: number;
      onlyPerPair?: boolean;
      onlyPerSide?: boolean;
    })
  | (ProtectionSpan & { kind: 'low-profit'; tradeLimit?: number; requiredProfit?: number; onlyPerSide?: boolean })
  | (ProtectionSpan & { kind: 'max-drawdown'; tradeLimit?: number; maxAllowedDrawdown: number; mode?: 'ratios' | 'equity' });
