/** Decisions a strategy may take itself, trade by trade; each is optional. */
export interface StrategyCallbacks {
  /** The leverage of a new trade; 1 without it. Clamped to what the instrument allows. */
  leverage?(entry: { symbol: string; time: number; proposedLeverage: number; maxLeverage: number }): number;
}
