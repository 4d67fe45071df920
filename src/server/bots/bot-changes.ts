import type { OwnSettings as OwnSettingsReply } from '#contract/own-settings.ts';
import type { OwnSettings } from '#engine/settings/own-settings.ts';
import type { BotSettings, KeptSettings } from '#storage/bots/bot-settings.ts';
import { ownSettingsReply } from './own-settings.ts';

const names: Readonly<Record<Exclude<keyof BotSettings, 'ownSettings'>, string>> = {
  nickname: 'nickname',
  exchangeId: 'exchange_id',
  marketType: 'margin_mode',
  stakeCurrency: 'stake_currency',
  stakeAmount: 'stake_amount',
  symbols: 'trading_pairs',
  maxOpenTrades: 'max_open_trades',
  leverage: 'leverage',
  leverageMode: 'leverage_mode',
};

/** What differs between two versions, by the contract's names. Amounts are compared as numbers: '100' and '100.0' are the same. */
export function changesOf(before: KeptSettings, after: KeptSettings): Change[] {
  const changes = (Object.keys(names) as (keyof typeof names)[]).flatMap((key) => {
    const [from, to] = [textOf(before, key), textOf(after, key)];
    return from === to ? [] : [{ field: names[key], from, to }];
  });
  const [from, to] = [before.codeNumber, after.codeNumber];
  if (from !== undefined && to !== undefined && from !== to) changes.push({ field: 'code_version', from: String(from), to: String(to) });
  // A version of before own settings were kept says nothing of them.
  return before.ownSettings === undefined || after.ownSettings === undefined
    ? changes
    : [...changes, ...ownChanges(before.ownSettings, after.ownSettings)];
}

interface Change {
  field: string;
  from: string;
  to: string;
}

/** What differs of own settings, one line for each that is inherited by itself: 'own.stoploss', 'own.parameters.fastPeriod'. */
function ownChanges(before: OwnSettings, after: OwnSettings): Change[] {
  const [earlier, later] = [ownTexts(before), ownTexts(after)];
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((field) => {
    const [from, to] = [earlier.get(field) ?? 'inherited', later.get(field) ?? 'inherited'];
    return from === to ? [] : [{ field, from, to }];
  });
}

function ownTexts(own: OwnSettings): Map<string, string> {
  const { trailing, minimal_roi: roi, order_types, order_time_in_force, parameters, ...plain } = ownSettingsReply(own);
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(plain))
    texts.set(`own.${name}`, name === 'risk_reward_ratio' && value === 0 ? 'none' : String(value));
  if (trailing !== undefined) texts.set('own.trailing', trailingText(trailing));
  if (roi !== undefined) texts.set('own.minimal_roi', listed(roi));
  for (const [name, table] of Object.entries({ order_types, order_time_in_force, parameters }))
    for (const [entry, value] of Object.entries(table ?? {})) texts.set(`own.${name}.${entry}`, String(value));
  return texts;
}

function trailingText(trailing: NonNullable<OwnSettingsReply['trailing']>): string {
  if (!trailing.trailing_stop) return 'off';
  const { trailing_stop_positive: positive, trailing_stop_positive_offset: offset, trailing_only_offset_is_reached: only } = trailing;
  const distance = positive === 0 ? 'at the stop loss' : `${positive} from a profit of ${offset}`;
  return only ? `${distance}, not below` : distance;
}

function listed(table: Readonly<Record<string, number>>): string {
  return Object.entries(table)
    .map(([name, each]) => `${name}: ${each}`)
    .join(', ');
}

function textOf(settings: KeptSettings, key: keyof typeof names): string {
  const value = settings[key];
  if (key === 'stakeAmount' || key === 'leverage') return String(Number(value));
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** The same as a line of the audit log has it. */
export function differences(before: BotSettings, after: BotSettings): Record<string, unknown> {
  return Object.fromEntries(changesOf(before, after).map(({ field, from, to }) => [field, { from, to }]));
}
