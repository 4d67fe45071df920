import type { CallInput, CallReply } from '#contract/client.ts';
import type { orderTypes, timesInForce } from '#contract/strategies.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import { orderActions, timeInForceActions } from '#contract/strategies.ts';

/** A strategy as the server has it. */
export type Strategy = CallReply<'listStrategies'>['strategies'][number];

/** What a change of a strategy may carry. */
export type StrategyChanges = CallInput<'updateStrategy'>['body'];

/** A line of the ROI table as it is typed: minutes and a fraction. */
export interface RoiEntry {
  minutes: string;
  ratio: string;
}

/** A row that sets something for an action; a part that is not chosen yet is null. */
export interface ChoiceRow<Action extends string, Value extends string> {
  action: Action | null;
  value: Value | null;
}

/** The row of an order type. */
export type OrderTypeRow = ChoiceRow<(typeof orderActions)[number], (typeof orderTypes)[number]>;

/** The row of a time in force. */
export type TimeInForceRow = ChoiceRow<(typeof timeInForceActions)[number], (typeof timesInForce)[number]>;

/** The fields of the form as they are typed, by the contract's names. Stops are per cent without a sign. */
export interface StrategyFields {
  name: string;
  description: string;
  supported_exchanges: string;
  default_timeframe: StrategyTimeframe;
  stoploss: string;
  trailing_stop: boolean;
  trailing_stop_positive: string;
  trailing_stop_positive_offset: string;
  trailing_only_offset_is_reached: boolean;
  max_consecutive_losses: string;
  risk_reward_ratio: string;
  minimal_roi: readonly RoiEntry[];
  order_types: readonly OrderTypeRow[];
  order_time_in_force: readonly TimeInForceRow[];
  encrypted_webhook: string;
  encrypted_sheets_key: string;
}

/** The name of a field. */
export type FieldName = keyof StrategyFields;

/** How many ROI entries there may be. */
export const roiEntriesMax = 3;

const defaultRoi: readonly RoiEntry[] = [
  { minutes: '0', ratio: '0.0200' },
  { minutes: '1', ratio: '0.0100' },
  { minutes: '2', ratio: '0.0000' },
];

/** The form of a strategy as it was loaded. */
export function fieldsOf(strategy: Strategy): StrategyFields {
  const orders = rowsOf(orderActions, strategy.order_types) as OrderTypeRow[];
  const times = rowsOf(timeInForceActions, strategy.order_time_in_force) as TimeInForceRow[];
  return {
    name: strategy.name,
    description: strategy.description,
    supported_exchanges: strategy.supported_exchanges.join(', '),
    default_timeframe: strategy.default_timeframe,
    stoploss: percentText(Math.abs(strategy.stoploss)),
    trailing_stop: strategy.trailing_stop,
    trailing_stop_positive: percentText(strategy.trailing_stop_positive),
    trailing_stop_positive_offset: percentText(strategy.trailing_stop_positive_offset),
    trailing_only_offset_is_reached: strategy.trailing_only_offset_is_reached,
    max_consecutive_losses: String(strategy.max_consecutive_losses),
    risk_reward_ratio: strategy.risk_reward_ratio?.toFixed(2) ?? '',
    minimal_roi: roiEntriesOf(strategy.minimal_roi),
    order_types: orders.length === 0 ? [{ action: 'entry', value: 'limit' }] : orders,
    order_time_in_force: times.length === 0 ? [{ action: 'entry', value: 'GTC' }] : times,
    encrypted_webhook: strategy.encrypted_webhook ?? '',
    encrypted_sheets_key: strategy.encrypted_sheets_key ?? '',
  };
}

/** The first entries in ascending order of minutes; the default ones when there are none. */
function roiEntriesOf(roi: Strategy['minimal_roi']): readonly RoiEntry[] {
  const entries = Object.entries(roi).sort(([a], [b]) => Number(a) - Number(b));
  if (entries.length === 0) return defaultRoi;
  return entries.slice(0, roiEntriesMax).map(([minutes, ratio]) => ({ minutes, ratio: ratio.toFixed(4) }));
}

/** A row for each action that is set, always in the same order. */
function rowsOf(actions: readonly string[], words: Readonly<Record<string, string>>): ChoiceRow<string, string>[] {
  return actions.flatMap((action) => (words[action] === undefined ? [] : [{ action, value: words[action] }]));
}

/** A fraction as it is typed, per cent, with two decimals or as many as it has; empty for none. */
export function percentText(fraction: number | null): string {
  if (fraction === null) return '';
  const percent = Number((fraction * 100).toPrecision(12));
  return Number(percent.toFixed(2)) === percent ? percent.toFixed(2) : String(percent);
}
