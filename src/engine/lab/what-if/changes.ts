import type { TradingSettings } from '../../settings/trading-settings.ts';
import { normaliseSettings } from '../../settings/normalise-settings.ts';
import { isParameterValue } from '../../strategy/effective-parameters.ts';
import type { ParameterValues, StrategyParameter } from '../../strategy/strategy.ts';

/** What of a replay may be turned; a name that is missing stays as it really is. Ratios as fractions, money in stake currency. */
export interface WhatIfChanges {
  stoploss?: number; // negative
  trailingStop?: number; // distance of the trailing stop; 0 is none
  trailingOffset?: number; // profit from which it trails
  roiAtOnce?: number; // profit that is enough at any time
  stake?: number;
  maxOpenTrades?: number;
  fee?: number; // of the value of each fill
  parameters?: ParameterValues; // those of the strategy that differ
}

/** What really holds: what the changes are made to. */
export interface WhatIfReal {
  settings: TradingSettings;
  parameters: ParameterValues;
  declared: Readonly<Record<string, StrategyParameter>>; // of the strategy
  capital: 'stake-times-slots' | 'own'; // whether the capital follows stake and slots
}

/** Settings and parameters with the changes, or why they contradict each other, each reason one sentence. */
export type Changed = { ok: true; settings: TradingSettings; parameters: ParameterValues } | { ok: false; reasons: string[] };

/** What is replayed with these changes. */
export function withChanges({ settings, parameters, declared, capital }: WhatIfReal, changes: WhatIfChanges): Changed {
  const changed = changedSettings(settings, changes, capital);
  const values: Record<string, number> = { ...parameters };
  const reasons: string[] = [];
  for (const [name, value] of Object.entries(changes.parameters ?? {})) {
    const parameter = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (parameter === undefined) reasons.push(`The strategy has no parameter ${name}.`);
    else if (!isParameterValue(parameter, value))
      reasons.push(`${name} goes from ${parameter.min} to ${parameter.max} in steps of ${parameter.step}, and was ${value}.`);
    else values[name] = value;
  }
  const { minimalRoi } = changed;
  const checked = normaliseSettings({
    ...changed,
    minimalRoi: Object.fromEntries(minimalRoi.minutes.map((minute, i) => [minute, minimalRoi.ratios[i]])),
  });
  if (!checked.ok) reasons.push(...checked.reasons);
  return checked.ok && reasons.length === 0 ? { ok: true, settings: changed, parameters: values } : { ok: false, reasons };
}

/** The distance at which a stop trails; 0 where none does. Without a distance of its own it trails at the stop's. */
export function trailingDistance({ trailingStop, trailingStopPositive, stoploss }: TradingSettings): number {
  return trailingStop ? (trailingStopPositive ?? Math.abs(stoploss)) : 0;
}

/** The profit that is enough at any time; null where there is none. */
export function roiAtOnce({ minimalRoi: { minutes, ratios } }: TradingSettings): number | null {
  return minutes[0] === 0 ? ratios[0] : null;
}

function changedSettings(real: TradingSettings, changes: WhatIfChanges, capital: WhatIfReal['capital']): TradingSettings {
  const settings = { ...real };
  const { stoploss, trailingStop, trailingOffset, stake, maxOpenTrades, fee } = changes;
  if (stoploss !== undefined) settings.stoploss = stoploss;
  if (trailingStop !== undefined) {
    settings.trailingStop = trailingStop > 0;
    settings.trailingStopPositive = trailingStop > 0 ? trailingStop : null;
    // It cannot wait for an offset without a distance of its own.
    if (trailingStop === 0) settings.trailingOnlyOffsetIsReached = false;
  }
  if (trailingOffset !== undefined) settings.trailingStopPositiveOffset = trailingOffset;
  if (changes.roiAtOnce !== undefined) settings.minimalRoi = withRoiAtOnce(real.minimalRoi, changes.roiAtOnce);
  if (stake !== undefined) settings.stakeAmount = stake;
  if (maxOpenTrades !== undefined) settings.maxOpenTrades = maxOpenTrades;
  if (fee !== undefined) settings.fee = fee;
  const isOtherCapital = stake !== undefined || maxOpenTrades !== undefined;
  if (capital === 'stake-times-slots' && isOtherCapital && settings.stakeAmount !== 'unlimited')
    settings.startingBalance = settings.stakeAmount * settings.maxOpenTrades;
  return settings;
}

function withRoiAtOnce({ minutes, ratios }: TradingSettings['minimalRoi'], ratio: number): TradingSettings['minimalRoi'] {
  const isThere = minutes[0] === 0;
  return { minutes: [0, ...minutes.slice(isThere ? 1 : 0)], ratios: [ratio, ...ratios.slice(isThere ? 1 : 0)] };
}
