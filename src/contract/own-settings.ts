import { z } from 'zod';
import { texts } from './errors.ts';
import { finite, oneOf, shortText, unlessWrongType } from './fields.ts';
import {
  orderActions,
  orderTypes,
  timeInForceActions,
  timesInForce,
  tradingFields,
  trailingOffsetTooLow,
  trailingPositiveMissing,
} from './strategies.ts';
import { strategyTimeframes } from './strategy-timeframes.ts';

/** A field that is named and not known; of a part of the body as of the body itself. */
export const unknownField = {
  error: (issue: z.core.$ZodRawIssue) => (issue.code === 'unrecognized_keys' ? `Unknown field: ${issue.keys[0]}` : texts.invalidRequest),
};

/** A word, or null, for some of the given names. */
function wordsOrNone<const Names extends readonly [string, ...string[]], const Words extends readonly [string, ...string[]]>(
  names: Names,
  words: Words,
  message: string,
) {
  return z.partialRecord(z.enum(names), oneOf(words, message).nullable(), { error: unlessWrongType('table', message) });
}

const trailingFields = {
  trailing_stop: tradingFields.trailing_stop,
  trailing_stop_positive: tradingFields.trailing_stop_positive,
  trailing_stop_positive_offset: tradingFields.trailing_stop_positive_offset,
  trailing_only_offset_is_reached: tradingFields.trailing_only_offset_is_reached,
};

/**
 * Changes of what a bot sets itself, above its strategy: a value is the bot's own, null is inherited again, what is missing stays.
 * Zero means none, as for a strategy. The four of the trailing stop go together; of order types, times in force and parameters each entry by itself.
 */
export const ownSettingsChanges = z.strictObject(
  {
    timeframe: tradingFields.timeframe.nullable().optional(),
    stoploss: tradingFields.stoploss.nullable().optional(),
    trailing: z.strictObject(trailingFields, unknownField).nullable().optional(),
    max_consecutive_losses: tradingFields.max_consecutive_losses.nullable().optional(),
    risk_reward_ratio: tradingFields.risk_reward_ratio.nullable().optional(),
    minimal_roi: tradingFields.minimal_roi.nullable().optional(),
    order_types: wordsOrNone(orderActions, orderTypes, 'Invalid order type').nullable().optional(),
    order_time_in_force: wordsOrNone(timeInForceActions, timesInForce, 'Invalid time in force').nullable().optional(),
    parameters: z
      .record(shortText(60), z.number({ error: unlessWrongType('number', texts.invalidRequest) }).nullable())
      .refine((values) => Object.keys(values).length <= 100, texts.invalidRequest)
      .nullable()
      .optional(),
  },
  unknownField,
);

/** Why the engine would refuse a trailing stop: a bot that has it would stand still. Null: it would not. */
export function trailingContradiction(trailing: NonNullable<OwnSettings['trailing']>): string | null {
  const { trailing_stop_positive: positive, trailing_stop_positive_offset: offset } = trailing;
  if (!trailing.trailing_stop) return null;
  if (trailing.trailing_only_offset_is_reached && positive === 0) return trailingPositiveMissing;
  return positive > 0 && offset > 0 && offset <= positive ? trailingOffsetTooLow : null;
}

/** See `ownSettingsChanges`. */
export type OwnSettingsChanges = z.infer<typeof ownSettingsChanges>;

/** What a bot sets itself; what is missing is inherited. */
export const ownSettings = z.object({
  timeframe: z.enum(strategyTimeframes).optional(),
  stoploss: finite.optional(),
  trailing: z
    .object({
      trailing_stop: z.boolean(),
      trailing_stop_positive: finite, // 0: none
      trailing_stop_positive_offset: finite,
      trailing_only_offset_is_reached: z.boolean(),
    })
    .optional(),
  max_consecutive_losses: z.number().int().optional(),
  risk_reward_ratio: finite.optional(), // 0: none
  minimal_roi: z.record(z.string(), finite).optional(),
  order_types: z.record(z.string(), z.enum(orderTypes)).optional(),
  order_time_in_force: z.record(z.string(), z.enum(timesInForce)).optional(),
  parameters: z.record(z.string(), finite).optional(),
});

/** See `ownSettings`. */
export type OwnSettings = z.infer<typeof ownSettings>;

/** A timeframe that the exchange of a bot does not have. */
export const unofferedTimeframe = 'Timeframe not offered by this exchange: {timeframe}';

/** Why own settings are refused. */
export const ownSettingsTexts = [
  'Unknown field: {name}',
  'Invalid timeframe',
  unofferedTimeframe,
  'Stop loss must be a negative fraction',
  'Trailing stop must be a positive fraction',
  trailingOffsetTooLow,
  trailingPositiveMissing,
  'Max consecutive losses must be between 1 and 10',
  'Risk reward ratio must be at least 0.1',
  'ROI must have 1 to 3 entries',
  'Invalid ROI entry',
  'ROI must not rise with time',
  'Invalid order type',
  'Invalid time in force',
  'Unknown parameter: {name}',
  'Parameter {rule}',
] as const;
