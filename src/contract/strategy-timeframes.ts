/** The timeframes a strategy may be set to. */
export const strategyTimeframes = ['1m', '3m', '5m', '15m', '30m', '1h', '4h', '1d'] as const;

/** One of them. */
export type StrategyTimeframe = (typeof strategyTimeframes)[number];
