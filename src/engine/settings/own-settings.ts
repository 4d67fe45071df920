/** What orders of a kind are, by kind: 'entry', 'exit', 'stoploss'. */
export type OrderTypeChoices = Readonly<Record<string, 'limit' | 'market'>>;

/** How long orders of a kind stay, by kind: 'entry', 'exit'. */
export type TimeInForceChoices = Readonly<Record<string, 'GTC' | 'IOC' | 'FOK'>>;

/** The settings that a strategy has and a bot on it may have of its own. Ratios as fractions; plain data, it survives JSON. */
export interface StrategyValues {
  timeframe: string;
  stoploss: number;
  trailingStop: boolean;
  trailingStopPositive: number | null; // null: no second distance
  trailingStopPositiveOffset: number;
  trailingOnlyOffsetIsReached: boolean;
  maxConsecutiveLosses: number;
  riskRewardRatio: number | null; // null: none
  minimalRoi: Readonly<Record<string, number>>;
  orderTypes: OrderTypeChoices;
  orderTimeInForce: TimeInForceChoices;
}

/**
 * What a bot sets itself, above its strategy: a name that is missing is inherited. The four of the trailing stop are set together or
 * not at all, so that a change of the strategy can never contradict them. Of order types, times in force and parameters each entry is
 * inherited by itself.
 */
export type OwnSettings = Partial<StrategyValues> & { parameters?: Readonly<Record<string, number>> };
