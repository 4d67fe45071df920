import type { StrategySettings } from '#storage/strategies/strategy-settings.ts';

const names: Readonly<Record<keyof StrategySettings, string>> = {
  name: 'name',
  description: 'description',
  supportedExchanges: 'supported_exchanges',
  defaultTimeframe: 'default_timeframe',
  stoploss: 'stoploss',
  trailingStop: 'trailing_stop',
  trailingStopPositive: 'trailing_stop_positive',
  trailingStopPositiveOffset: 'trailing_stop_positive_offset',
  trailingOnlyOffsetIsReached: 'trailing_only_offset_is_reached',
  maxConsecutiveLosses: 'max_consecutive_losses',
  riskRewardRatio: 'risk_reward_ratio',
  minimalRoi: 'minimal_roi',
  orderTypes: 'order_types',
  orderTimeInForce: 'order_time_in_force',
};

/** What differs between two versions of a strategy's settings, by the contract's names. */
export function changesBetween(before: StrategySettings, after: StrategySettings): { field: string; from: string; to: string }[] {
  return (Object.keys(names) as (keyof StrategySettings)[]).flatMap((key) => {
    const [from, to] = [textOf(key, before[key]), textOf(key, after[key])];
    return from === to ? [] : [{ field: names[key], from, to }];
  });
}

/** Amounts, which the database writes with more digits than people do. */
const amounts: ReadonlySet<string> = new Set<keyof StrategySettings>([
  'stoploss',
  'trailingStopPositive',
  'trailingStopPositiveOffset',
  'riskRewardRatio',
]);

function textOf(key: string, value: StrategySettings[keyof StrategySettings]): string {
  if (value === null) return 'none';
  if (amounts.has(key)) return String(Number(value));
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${each}`)
    .join(', ');
}
