import { orderActions, timeInForceActions } from '#contract/strategies.ts';
import type { ChoiceRow, FieldName, RoiEntry, Strategy, StrategyChanges, StrategyFields } from './strategy-fields.ts';

/** What each field would be sent as; null where there is nothing to send. */
export type StrategyValues = { [Name in FieldName]: NonNullable<StrategyChanges[Name]> | null };

/**
 * The values of a form. A figure that is shown rounded and was not touched keeps all its digits. An empty risk reward ratio, an
 * empty positive trailing stop and its empty offset are sent as 0, an empty webhook or key as '': the server stores none. Another
 * empty figure is null.
 */
export function valuesOf(strategy: Strategy, fields: StrategyFields): StrategyValues {
  const stoploss = fractionOf(fields.stoploss);
  return {
    name: fields.name.trim(),
    description: fields.description,
    supported_exchanges: exchangesOf(fields.supported_exchanges),
    default_timeframe: fields.default_timeframe,
    stoploss: stoploss === null ? null : -Math.abs(stoploss),
    trailing_stop: fields.trailing_stop,
    trailing_stop_positive: fractionOf(fields.trailing_stop_positive) ?? 0,
    trailing_stop_positive_offset: fractionOf(fields.trailing_stop_positive_offset) ?? 0,
    trailing_only_offset_is_reached: fields.trailing_only_offset_is_reached,
    max_consecutive_losses: maxLossesOf(fields.max_consecutive_losses),
    risk_reward_ratio: rewardOf(strategy, fields.risk_reward_ratio),
    minimal_roi: roiOf(strategy, fields.minimal_roi),
    order_types: wordsOf(orderActions, fields.order_types),
    order_time_in_force: wordsOf(timeInForceActions, fields.order_time_in_force),
    encrypted_webhook: fields.encrypted_webhook.trim(),
    encrypted_sheets_key: fields.encrypted_sheets_key.trim(),
  };
}

/** Losses in a row: a whole number from 1 to 10; 5 for text that is not a number. */
export function maxLossesOf(text: string): number {
  const losses = text.trim() === '' ? Number.NaN : Math.trunc(Number(text));
  return Number.isNaN(losses) ? 5 : Math.min(10, Math.max(1, losses));
}

/** Ids of exchanges, separated by commas. */
function exchangesOf(text: string): string[] {
  return text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function numberOf(text: string): number | null {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}

function fractionOf(percent: string): number | null {
  const number = numberOf(percent);
  return number === null ? null : Number((number / 100).toPrecision(12));
}

function rewardOf({ risk_reward_ratio: loaded }: Strategy, text: string): number {
  return loaded !== null && loaded.toFixed(2) === text ? loaded : (numberOf(text) ?? 0);
}

function roiOf({ minimal_roi: loaded }: Strategy, entries: readonly RoiEntry[]): Record<string, number> {
  return Object.fromEntries(
    entries.map(({ minutes, ratio }) => {
      const kept = loaded[minutes];
      return [minutes === '' ? '' : String(Number(minutes)), kept?.toFixed(4) === ratio ? kept : (numberOf(ratio) ?? Number.NaN)];
    }),
  );
}

/** The words by action, always in the same order; rows that are not complete are left out. */
function wordsOf<Action extends string, Value extends string>(
  actions: readonly Action[],
  rows: readonly ChoiceRow<Action, Value>[],
): Partial<Record<Action, Value>> {
  const values = new Map(rows.map(({ action, value }) => [action, value]));
  const words = actions.flatMap((action) => {
    const value = values.get(action) ?? null;
    return value === null ? [] : [[action, value]];
  });
  return Object.fromEntries(words) as Partial<Record<Action, Value>>;
}
