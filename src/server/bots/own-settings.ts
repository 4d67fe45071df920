import type { OwnSettings as OwnSettingsReply, OwnSettingsChanges } from '#contract/own-settings.ts';
import { trailingContradiction } from '#contract/own-settings.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import type { OwnSettings } from '#engine/settings/own-settings.ts';
import { isParameterValue } from '#engine/strategy/effective-parameters.ts';
import type { KnownStrategy } from '#strategies/known-strategy.ts';
import { HttpError } from '../http/http-error.ts';

/**
 * What a bot sets itself after these changes. Fails: 400 for stops that contradict each other, and for a parameter that its strategy does
 * not have or allow; one that it has no longer may be given back.
 */
export function changedOwnSettings(before: OwnSettings, changes: OwnSettingsChanges | undefined, strategy: KnownStrategy): OwnSettings {
  if (changes === undefined) return before;
  const { trailing, parameters } = changes;
  const contradiction = trailing === undefined || trailing === null ? null : trailingContradiction(trailing);
  if (contradiction !== null) throw new HttpError(400, contradiction);
  if (parameters !== undefined && parameters !== null) refuseParameters(parameters, strategy);
  const entries = {
    timeframe: changed(before.timeframe, changes.timeframe),
    stoploss: changed(before.stoploss, changes.stoploss),
    ...(trailing === undefined ? keptStops(before) : trailing === null ? {} : stopsOf(trailing)),
    maxConsecutiveLosses: changed(before.maxConsecutiveLosses, changes.max_consecutive_losses),
    riskRewardRatio: changes.risk_reward_ratio === 0 ? null : changed(before.riskRewardRatio, changes.risk_reward_ratio),
    minimalRoi: changed(before.minimalRoi, changes.minimal_roi),
    orderTypes: changedTable(before.orderTypes, changes.order_types),
    orderTimeInForce: changedTable(before.orderTimeInForce, changes.order_time_in_force),
    parameters: changedTable(before.parameters, parameters),
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

function changed<Value>(before: Value | undefined, change: Value | null | undefined): Value | undefined {
  return change === undefined ? before : (change ?? undefined);
}

/** A table of which each entry is changed, kept or given back by itself; none when nothing is left in it. */
function changedTable<Value>(
  before: Readonly<Record<string, Value>> | undefined,
  changes: Readonly<Record<string, Value | null | undefined>> | null | undefined,
): Readonly<Record<string, Value>> | undefined {
  if (changes === undefined) return before;
  if (changes === null) return undefined;
  const merged = Object.entries({ ...before, ...changes }).filter((entry): entry is [string, Value] => (entry[1] ?? null) !== null);
  return merged.length === 0 ? undefined : Object.fromEntries(merged);
}

type Stops = Required<
  Pick<OwnSettings, 'trailingStop' | 'trailingStopPositive' | 'trailingStopPositiveOffset' | 'trailingOnlyOffsetIsReached'>
>;

function stopsOf(trailing: NonNullable<OwnSettingsReply['trailing']>): Stops {
  return {
    trailingStop: trailing.trailing_stop,
    trailingStopPositive: trailing.trailing_stop_positive === 0 ? null : trailing.trailing_stop_positive,
    trailingStopPositiveOffset: trailing.trailing_stop_positive_offset,
    trailingOnlyOffsetIsReached: trailing.trailing_only_offset_is_reached,
  };
}

function keptStops({
  trailingStop,
  trailingStopPositive,
  trailingStopPositiveOffset,
  trailingOnlyOffsetIsReached,
}: OwnSettings): Partial<OwnSettings> {
  return { trailingStop, trailingStopPositive, trailingStopPositiveOffset, trailingOnlyOffsetIsReached } as Partial<OwnSettings>;
}

function refuseParameters(parameters: Readonly<Record<string, number | null>>, { parameters: declared }: KnownStrategy): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) continue;
    const parameter = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (parameter === undefined) throw new HttpError(400, `Unknown parameter: ${name}`);
    const { min, max, step } = parameter;
    if (!isParameterValue(parameter, value))
      throw new HttpError(400, `Parameter ${name} must be from ${min} to ${max} in steps of ${step}`);
  }
}

/** What a bot sets itself, as the contract has it. */
export function ownSettingsReply(own: OwnSettings): OwnSettingsReply {
  return {
    ...(own.timeframe === undefined ? {} : { timeframe: own.timeframe as StrategyTimeframe }),
    ...(own.stoploss === undefined ? {} : { stoploss: own.stoploss }),
    ...(own.trailingStop === undefined
      ? {}
      : {
          trailing: {
            trailing_stop: own.trailingStop,
            trailing_stop_positive: own.trailingStopPositive ?? 0,
            trailing_stop_positive_offset: own.trailingStopPositiveOffset ?? 0,
            trailing_only_offset_is_reached: own.trailingOnlyOffsetIsReached ?? false,
          },
        }),
    ...(own.maxConsecutiveLosses === undefined ? {} : { max_consecutive_losses: own.maxConsecutiveLosses }),
    ...(own.riskRewardRatio === undefined ? {} : { risk_reward_ratio: own.riskRewardRatio ?? 0 }),
    ...(own.minimalRoi === undefined ? {} : { minimal_roi: own.minimalRoi }),
    ...(own.orderTypes === undefined ? {} : { order_types: own.orderTypes }),
    ...(own.orderTimeInForce === undefined ? {} : { order_time_in_force: own.orderTimeInForce }),
    ...(own.parameters === undefined ? {} : { parameters: own.parameters }),
  };
}
