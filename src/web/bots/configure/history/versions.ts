import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/api.ts';
import { botDetailsKey } from '../../../api/query-keys.ts';
import { parameterTitle } from '../../../ui/parameter-text.ts';
import { formatRatio } from '../../../ui/ratio.ts';

/** A version of the settings of a bot. */
export type BotVersion = CallReply<'listBotVersions'>[number];

const titles: Readonly<Record<string, string>> = {
  'own.timeframe': 'own timeframe',
  'own.stoploss': 'own stop loss',
  'own.trailing': 'own trailing stop',
  'own.minimal_roi': 'own minimal ROI',
  'own.risk_reward_ratio': 'own risk reward ratio',
  'own.max_consecutive_losses': 'own max consecutive losses',
  'own.order_types.entry': 'own entry order',
  'own.order_types.exit': 'own exit order',
  'own.order_types.stoploss': 'own stop order',
  'own.order_types.stoploss_on_exchange': 'own stop order on exchange',
  'own.order_time_in_force.entry': 'own entry stays',
  'own.order_time_in_force.exit': 'own exit stays',
  code_version: 'version of the strategy',
  nickname: 'nickname',
  exchange_id: 'exchange',
  margin_mode: 'market type',
  stake_currency: 'stake currency',
  stake_amount: 'stake amount',
  trading_pairs: 'trading pairs',
  max_open_trades: 'max open trades',
  leverage: 'leverage',
  leverage_mode: 'leverage mode',
};

const parameter = 'own.parameters.';

/** Which version of its strategy a bot runs: a version of the bot says so, and to restore its settings does not bring it back. */
const code = 'code_version';

function titleOf(field: string): string {
  return field.startsWith(parameter) ? `own ${parameterTitle(field.slice(parameter.length))}` : (titles[field] ?? field);
}

/** A value as it is shown: ratios in per cent. */
function shownValue(field: string, text: string): string {
  const percent = (number: string): string => formatRatio(Number(number), 2);
  if (field === 'own.stoploss' || field === 'own.trailing') return text.replaceAll(/-?\d[\d.e-]*/gu, percent);
  if (field === 'own.minimal_roi')
    return text.replaceAll(/(\d+): (-?\d[\d.e-]*)/gu, (_, minutes: string, ratio: string) => `${percent(ratio)} after ${minutes} min`);
  return text;
}

/** What a version changed: 'stake amount 500 → 650, leverage 2 → 3'. */
export function changesText({ changes, version }: Pick<BotVersion, 'changes' | 'version'>): string {
  if (changes.length === 0) return version === 1 ? 'created' : 'no change';
  return changes.map(({ field, from, to }) => `${titleOf(field)} ${shownValue(field, from)} → ${shownValue(field, to)}`).join(', ');
}

/**
 * What restoring a version changes: each setting with its value now and its value of then; empty where nothing does. What the strategy of the bot runs
 * stays. `versions` are newest first.
 */
export function restoredFields(versions: readonly BotVersion[], version: number): { name: string; from: string; to: string }[] {
  const fields = new Map<string, { from: string; to: string }>();
  for (const later of versions.filter((each) => each.version > version)) {
    for (const { field, from, to } of later.changes) {
      fields.set(field, { from: fields.get(field)?.from ?? to, to: from });
    }
  }
  return [...fields]
    .filter(([field, { from, to }]) => field !== code && from !== to)
    .map(([field, { from, to }]) => ({
      name: titleOf(field),
      from: shownValue(field, from),
      to: shownValue(field, to),
    }));
}

/** Whether a bot has taken another version of its strategy since a version of its settings. */
export function hasOtherCode(versions: readonly BotVersion[], version: number): boolean {
  return versions.some((later) => later.version > version && later.changes.some(({ field }) => field === code));
}

/** The versions of a bot's settings, the newest first. */
export function useVersions(botId: string): UseQueryResult<BotVersion[]> {
  return useQuery({
    queryKey: [...botDetailsKey(botId), 'versions'],
    queryFn: ({ signal }) => api.listBotVersions({ params: { id: botId } }, { signal }),
    meta: { what: 'versions of a bot' },
  });
}
