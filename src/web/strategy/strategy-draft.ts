import { strategyChanges } from '#contract/strategies.ts';
import type { Issue } from '../ui/first-issue.ts';
import { firstIssue } from '../ui/first-issue.ts';
import type { FieldName, Strategy, StrategyChanges, StrategyFields } from './strategy-fields.ts';
import { fieldsOf, percentText } from './strategy-fields.ts';
import { valuesOf } from './strategy-values.ts';

/** What was typed and not saved: only the fields that were touched. */
export type Draft = Partial<StrategyFields>;

/** What the form shows: what was typed, else what was loaded. */
export function shownFields(strategy: Strategy, draft: Draft): StrategyFields {
  return { ...fieldsOf(strategy), ...draft };
}

/** The draft with another value; the value that was loaded takes the field out of it. */
export function withField<Name extends FieldName>(strategy: Strategy, draft: Draft, name: Name, value: StrategyFields[Name]): Draft {
  const { [name]: _, ...others } = draft;
  return isSame(fieldsOf(strategy)[name], value) ? others : { ...others, [name]: value };
}

/** The pending changes as the call takes them: changed fields only, and none without a value. */
export function changesOf(strategy: Strategy, draft: Draft): StrategyChanges {
  const [loaded, wanted] = [valuesOf(strategy, fieldsOf(strategy)), valuesOf(strategy, shownFields(strategy, draft))];
  const names = (Object.keys(wanted) as FieldName[]).filter((name) => wanted[name] !== null && !isSame(wanted[name], loaded[name]));
  return Object.fromEntries(names.map((name) => [name, wanted[name]]));
}

/** The first check that fails, with its field; null when the draft can be saved. */
export function draftIssue(strategy: Strategy, draft: Draft): Issue | null {
  const times = (draft.minimal_roi ?? []).flatMap(({ minutes }) => (minutes === '' ? [] : [Number(minutes)]));
  if (new Set(times).size < times.length) {
    return { text: 'Each ROI entry needs a time of its own', field: 'minimal_roi' };
  }
  return firstIssue(strategyChanges, changesOf(strategy, draft));
}

/** A pending change as the bar names it. */
export interface NamedChange {
  field: FieldName;
  name: string;
  from: string;
  to: string;
}

/** The pending changes in words: of tables only the lines that differ, of secrets only that they change. */
export function namedChanges(strategy: Strategy, draft: Draft): NamedChange[] {
  const [loaded, shown] = [fieldsOf(strategy), shownFields(strategy, draft)];
  return (Object.keys(changesOf(strategy, draft)) as FieldName[]).map((field) => {
    const [from, to] = [linesOf(field, loaded), linesOf(field, shown)];
    const change = { field, name: fieldNames[field] };
    if (secret.has(field)) return { ...change, from: textOf(from), to: to.length === 0 ? textOf(to) : 'a new one' };
    return {
      ...change,
      from: textOf(from.filter((line) => !to.includes(line))),
      to: textOf(to.filter((line) => !from.includes(line))),
    };
  });
}

/** The words of the form. */
export const fieldNames: Readonly<Record<FieldName, string>> = {
  name: 'Name',
  description: 'Description',
  supported_exchanges: 'Supported Exchanges',
  default_timeframe: 'Default Timeframe',
  stoploss: 'Stop Loss',
  trailing_stop: 'Trailing Stop',
  trailing_stop_positive: 'Trailing Stop Positive',
  trailing_stop_positive_offset: 'Trailing Stop Positive Offset',
  trailing_only_offset_is_reached: 'Trail only after offset',
  max_consecutive_losses: 'Max Consecutive Losses',
  risk_reward_ratio: 'Risk Reward Ratio',
  minimal_roi: 'ROI',
  order_types: 'Order Types',
  order_time_in_force: 'Time in Force',
  encrypted_webhook: 'Webhook',
  encrypted_sheets_key: 'Sheets Key',
};

const secret: ReadonlySet<FieldName> = new Set(['encrypted_webhook', 'encrypted_sheets_key']);

const percents: ReadonlySet<FieldName> = new Set(['stoploss', 'trailing_stop_positive', 'trailing_stop_positive_offset']);

/** A value of the form in words. */
export function fieldText(field: FieldName, fields: StrategyFields): string {
  return textOf(linesOf(field, fields));
}

/** A value in words, a table line by line. */
function linesOf(field: FieldName, fields: StrategyFields): string[] {
  const value = fields[field];
  if (typeof value === 'boolean') return [value ? 'on' : 'off'];
  if (value === '') return [];
  if (secret.has(field)) return ['one that is set'];
  if (typeof value === 'string') return [percents.has(field) ? `${value}%` : value];
  return value
    .map((row) => ('minutes' in row ? `${row.minutes} min ${row.ratio}` : row.value === null ? '' : `${row.action} ${row.value}`))
    .filter((line) => line !== '');
}

function textOf(lines: readonly string[]): string {
  return lines.length === 0 ? 'none' : lines.join(', ');
}

/** A value of the history in the words of the form: 'true' is 'on', a stop of -0.025 is '2.50%'. */
export function historyText(field: string, text: string): string {
  if (text === 'true') return 'on';
  if (text === 'false') return 'off';
  if (!percents.has(field as FieldName) || text === 'none') return text;
  return `${percentText(Math.abs(Number(text)))}%`;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
