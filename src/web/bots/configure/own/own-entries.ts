import type { OwnSettings, OwnSettingsChanges } from '#contract/own-settings.ts';

/**
 * What a bot sets itself, as it is typed: a name that is missing is inherited. Names are those of the contract, entries of a table
 * with a dot: 'stoploss', 'parameters.fastPeriod', 'order_types.entry'. The four of the trailing stop are there together or not at all.
 */
export type OwnEntries = Readonly<Record<string, string>>;

/** A line of the ROI table as it is typed: minutes, and a profit in per cent. */
export interface RoiLine {
  minutes: string;
  percent: string;
}

/** The names of the trailing stop, the switch first. */
export const trailingNames = [
  'trailing_stop',
  'trailing_stop_positive',
  'trailing_stop_positive_offset',
  'trailing_only_offset_is_reached',
] as const;

/** A fraction as it is typed, per cent: 0.015 is '1.5'. */
export function percentOf(fraction: number): string {
  return String(Number((fraction * 100).toPrecision(12)));
}

/** A text as a number; NaN when it is none. */
function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

function fractionOf(percent: string): number {
  return Number((numberOf(percent) / 100).toPrecision(12));
}

/** A ROI table as it is typed. */
export function roiLines(table: Readonly<Record<string, number>>): RoiLine[] {
  return Object.entries(table)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([minutes, ratio]) => ({ minutes, percent: percentOf(ratio) }));
}

/** What the bot sets itself as it is stored, in the form. */
export function ownEntriesOf(own: OwnSettings): OwnEntries {
  const { timeframe, stoploss, trailing, max_consecutive_losses: losses, risk_reward_ratio: ratio, minimal_roi: roi } = own;
  const entries: Record<string, string | undefined> = {
    timeframe,
    stoploss: stoploss === undefined ? undefined : percentOf(Math.abs(stoploss)),
    ...(trailing === undefined ? {} : trailingEntries(trailing)),
    minimal_roi: roi === undefined ? undefined : JSON.stringify(roiLines(roi)),
    risk_reward_ratio: ratio === undefined ? undefined : ratio === 0 ? '' : String(ratio),
    max_consecutive_losses: losses === undefined ? undefined : String(losses),
  };
  for (const group of ['order_types', 'order_time_in_force', 'parameters'] as const)
    for (const [name, value] of Object.entries(own[group] ?? {})) entries[`${group}.${name}`] = String(value);
  return Object.fromEntries(Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** A trailing stop in the form. */
export function trailingEntries(trailing: NonNullable<OwnSettings['trailing']>): OwnEntries {
  const { trailing_stop_positive: positive, trailing_stop_positive_offset: offset } = trailing;
  return {
    trailing_stop: trailing.trailing_stop ? 'on' : 'off',
    trailing_stop_positive: positive === 0 ? '' : percentOf(positive),
    trailing_stop_positive_offset: offset === 0 ? '' : percentOf(offset),
    trailing_only_offset_is_reached: trailing.trailing_only_offset_is_reached ? 'on' : 'off',
  };
}

/** How many settings a bot has of its own; the trailing stop is one. */
export function ownCount(entries: OwnEntries): number {
  return settingsIn(entries).size;
}

/** '3 own settings' */
export function ownText(count: number): string {
  return `${count} own ${count === 1 ? 'setting' : 'settings'}`;
}

/** How many of them differ from what is stored. */
export function ownChangeCount(entries: OwnEntries, stored: OwnEntries): number {
  return changedSettings(entries, stored).length;
}

/** The settings that differ from what is stored; the trailing stop by its switch. */
export function changedSettings(entries: OwnEntries, stored: OwnEntries): string[] {
  const changed = [...new Set([...Object.keys(entries), ...Object.keys(stored)])].filter((name) => entries[name] !== stored[name]);
  return [...settingsIn(Object.fromEntries(changed.map((name) => [name, ''])))];
}

function settingsIn(entries: OwnEntries): Set<string> {
  return new Set(Object.keys(entries).map((name) => (isTrailing(name) ? 'trailing_stop' : name)));
}

function isTrailing(name: string): boolean {
  return trailingNames.some((each) => each === name);
}

/** The entries without some of them: what is given back to the strategy. */
export function withoutOwn(entries: OwnEntries, names: readonly string[]): OwnEntries {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => !names.includes(name)));
}

/** The changes as the call takes them; undefined when there is none. */
export function toOwnChanges(entries: OwnEntries, stored: OwnEntries): OwnSettingsChanges | undefined {
  const changes: Record<string, unknown> = {};
  for (const name of changedSettings(entries, stored)) {
    const [group = '', entry] = name.split('.');
    const text = entries[name];
    if (entry !== undefined)
      changes[group] = { ...(changes[group] as object | undefined), [entry]: text === undefined ? null : valueOf(name, text) };
    else if (isTrailing(name)) changes['trailing'] = text === undefined ? null : trailingOf(entries);
    else changes[name] = text === undefined ? null : valueOf(name, text);
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

function valueOf(name: string, text: string): unknown {
  if (name === 'stoploss') return -Math.abs(fractionOf(text));
  if (name === 'risk_reward_ratio') return text.trim() === '' ? 0 : numberOf(text);
  if (name === 'max_consecutive_losses' || name.startsWith('parameters.')) return numberOf(text);
  if (name === 'minimal_roi') return Object.fromEntries(linesIn(text).map(({ minutes, percent }) => [minutes.trim(), fractionOf(percent)]));
  return text;
}

/** The ROI table that is typed. */
export function linesIn(text: string): RoiLine[] {
  return JSON.parse(text) as RoiLine[];
}

function trailingOf(entries: OwnEntries): OwnSettingsChanges['trailing'] {
  const fraction = (name: string): number => ((entries[name] ?? '').trim() === '' ? 0 : fractionOf(entries[name] ?? ''));
  return {
    trailing_stop: entries['trailing_stop'] === 'on',
    trailing_stop_positive: fraction('trailing_stop_positive'),
    trailing_stop_positive_offset: fraction('trailing_stop_positive_offset'),
    trailing_only_offset_is_reached: entries['trailing_only_offset_is_reached'] === 'on',
  };
}
