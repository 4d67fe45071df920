import { marketTypes } from '#engine/market/instrument.ts';
import { texts } from '#contract/errors.ts';
import type { Issue } from '../../ui/first-issue.ts';
import type { BotEntries } from './bot-entries.ts';
import { numberIn } from './bot-entries.ts';
import { ownIssue } from './own/own-issue.ts';

/** The first check of the form that fails, in the specified order, or null. `stored` are the entries of an existing bot. */
export function botIssue(entries: BotEntries, stored: BotEntries | null): Issue | null {
  const [stake, trades, leverage] = [numberIn(entries.stakeAmount), numberIn(entries.maxOpenTrades), numberIn(entries.leverage)];
  const checks: readonly [passes: boolean, field: keyof BotEntries, text: string][] = [
    [(entries.strategyId ?? '') !== '', 'strategyId', 'Strategy is required'],
    [(entries.exchangeId ?? '') !== '', 'exchangeId', 'Exchange is required'],
    [entries.marketType !== '' && marketTypes.includes(entries.marketType), 'marketType', 'Market type is required'],
    [(entries.stakeCurrency ?? '') !== '', 'stakeCurrency', 'Stake currency is required'],
    [stake > 0, 'stakeAmount', 'Stake amount must be positive'],
    [Number.isInteger(trades) && trades >= 1 && trades <= 50, 'maxOpenTrades', 'Max open trades must be between 1 and 50'],
    [leverage >= 1 && leverage <= 125, 'leverage', 'Leverage must be between 1.0 and 125.0'],
    [(entries.pairs ?? []).length > 0, 'pairs', 'At least one trading pair is required'],
    [entries.mode !== 'live' || hasKey(entries, stored), 'key', texts.keyRequired],
    [entries.userEmail.trim() !== '', 'userEmail', 'User email is required'],
    [entries.nickname.trim().length <= 60, 'nickname', 'Nickname must be at most 60 characters'],
  ];
  const failed = checks.find(([passes]) => !passes);
  return failed === undefined ? ownIssue(entries.own, stored?.own ?? {}) : { field: failed[1], text: failed[2] };
}

/** Whether a key was typed: a masked value that is as it was is none, and a stored one was chosen instead. */
export function isKeyTyped(entries: BotEntries, stored: BotEntries | null): boolean {
  if (entries.storedKey !== '') return false;
  return (['label', 'key', 'secret', 'passphrase'] as const).some((field) => entries[field] !== (stored?.[field] ?? ''));
}

/** A stored key that was chosen counts, and one that is as it was; one that is typed needs key and secret, neither of them the masked one. */
function hasKey(entries: BotEntries, stored: BotEntries | null): boolean {
  if (entries.storedKey !== '') return true;
  const isNew = isKeyTyped(entries, stored);
  return (['key', 'secret'] as const).every((field) => entries[field].trim() !== '' && !(isNew && entries[field] === stored?.[field]));
}
