import type { Parameter } from '../../../ui/parameter-text.ts';
import { defaultText, parameterTitle, rangeText } from '../../../ui/parameter-text.ts';
import { formatRatio } from '../../../ui/ratio.ts';
import type { Strategy } from '../use-offered.ts';
import type { OwnEntries } from './own-entries.ts';
import { percentOf, roiLines, trailingEntries, trailingNames } from './own-entries.ts';
import { roiWords } from './roi-words.ts';

/** How a setting is entered. */
export type OwnKind = 'timeframe' | 'percent' | 'number' | 'trailing' | 'roi' | 'order-type' | 'time-in-force' | 'parameter';

/** A setting of the strategy that the bot may have of its own. */
export interface OwnRow {
  name: string; // 'stoploss', 'parameters.fastPeriod'
  title: string;
  ofStrategy: string; // its value there, as it is read
  entries: OwnEntries; // what the bot starts with as its own: the strategy's
  kind: OwnKind;
  hint: string;
  parameter?: Parameter;
}

const orders = [
  { name: 'entry', title: 'Entry Order', usual: 'limit' },
  { name: 'exit', title: 'Exit Order', usual: 'limit' },
  { name: 'stoploss', title: 'Stop Order', usual: 'market' },
] as const;

const times = [
  { name: 'entry', title: 'Entry Stays' },
  { name: 'exit', title: 'Exit Stays' },
] as const;

/** The settings of a strategy that a bot may have of its own, in the order of the form. */
export function tradingRows(strategy: Strategy): OwnRow[] {
  const trailing = {
    trailing_stop: strategy.trailing_stop,
    trailing_stop_positive: strategy.trailing_stop_positive ?? 0,
    trailing_stop_positive_offset: strategy.trailing_stop_positive_offset ?? 0,
    trailing_only_offset_is_reached: strategy.trailing_only_offset_is_reached,
  };
  const row = (name: string, title: string, kind: OwnKind, ofStrategy: string, value: string, hint: string): OwnRow => ({
    name,
    title,
    kind,
    ofStrategy,
    entries: { [name]: value },
    hint,
  });
  const { risk_reward_ratio: ratio } = strategy;
  return [
    row('timeframe', 'Timeframe', 'timeframe', strategy.default_timeframe, strategy.default_timeframe, 'From its next whole candle'),
    row(
      'stoploss',
      'Stop Loss',
      'percent',
      formatRatio(strategy.stoploss, 2),
      percentOf(-strategy.stoploss),
      'Open trades keep their stop',
    ),
    {
      name: 'trailing',
      title: 'Trailing Stop',
      kind: 'trailing',
      ofStrategy: trailingWords(trailing),
      entries: trailingEntries(trailing),
      hint: 'Open trades too: it only moves their stop nearer',
    },
    row(
      'minimal_roi',
      'Minimal ROI',
      'roi',
      roiWords(strategy.minimal_roi),
      JSON.stringify(roiLines(strategy.minimal_roi)),
      'Open trades too, at once',
    ),
    row(
      'risk_reward_ratio',
      'Risk Reward Ratio',
      'number',
      ratio === null ? 'none' : String(ratio),
      ratio === null ? '' : String(ratio),
      'Empty for none; open trades too',
    ),
    row(
      'max_consecutive_losses',
      'Max Consecutive Losses',
      'number',
      String(strategy.max_consecutive_losses),
      String(strategy.max_consecutive_losses),
      '1 to 10, then the bot pauses itself',
    ),
    ...orders.map(({ name, title, usual }) => {
      const type = strategy.order_types[name] ?? usual;
      return row(`order_types.${name}`, title, 'order-type', type, type, 'Orders from now on');
    }),
    ...times.map(({ name, title }) => {
      const time = strategy.order_time_in_force[name] ?? 'GTC';
      return row(`order_time_in_force.${name}`, title, 'time-in-force', time, time, 'Limit orders from now on');
    }),
  ];
}

/** The parameters of a strategy, likewise. */
export function parameterRows(parameters: readonly Parameter[]): OwnRow[] {
  return parameters.map((parameter) => ({
    name: `parameters.${parameter.name}`,
    title: parameterTitle(parameter.name),
    kind: 'parameter',
    ofStrategy: defaultText(parameter),
    entries: { [`parameters.${parameter.name}`]: String(parameter.default) },
    hint: `${parameter.meaning} ${rangeText(parameter)}`.trim(),
    parameter,
  }));
}

/** The names of the entries that a row is made of. */
export function namesOf({ name, kind }: Pick<OwnRow, 'name' | 'kind'>): readonly string[] {
  return kind === 'trailing' ? trailingNames : [name];
}

/** A trailing stop as it is read: '1.50% behind the price from 3.00% profit on'. */
export function trailingWords(trailing: {
  trailing_stop: boolean;
  trailing_stop_positive: number;
  trailing_stop_positive_offset: number;
  trailing_only_offset_is_reached: boolean;
}): string {
  if (!trailing.trailing_stop) return 'off';
  const { trailing_stop_positive: positive, trailing_stop_positive_offset: offset } = trailing;
  if (positive === 0) return 'on, as far as the stop loss';
  const distance = `${formatRatio(positive, 2)} behind, from ${formatRatio(offset, 2)} profit`;
  return trailing.trailing_only_offset_is_reached ? distance : `${distance}, before as far as the stop loss`;
}
