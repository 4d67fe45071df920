import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/api.ts';
import { botDetailsKey } from '../../../api/query-keys.ts';

/** A version of the settings of a bot. */
export type BotVersion = CallReply<'listBotVersions'>[number];

const titles: Readonly<Record<string, string>> = {
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

/** What a version changed: 'stake amount 500 → 650, leverage 2 → 3'. */
export function changesText({ changes, version }: Pick<BotVersion, 'changes' | 'version'>): string {
  if (changes.length === 0) return version === 1 ? 'created' : 'no change';
  return changes.map(({ field, from, to }) => `${titles[field] ?? field} ${from} → ${to}`).join(', ');
}

/** What restoring a version changes: each field with its value now and its value of then. `versions` are newest first. */
export function restoredFields(versions: readonly BotVersion[], version: number): { name: string; from: string; to: string }[] {
  const fields = new Map<string, { from: string; to: string }>();
  for (const later of versions.filter((each) => each.version > version)) {
    for (const { field, from, to } of later.changes) {
      fields.set(field, { from: fields.get(field)?.from ?? to, to: from });
    }
  }
  return [...fields].filter(([, { from, to }]) => from !== to).map(([field, change]) => ({ name: titles[field] ?? field, ...change }));
}

/** The versions of a bot's settings, the newest first. */
export function useVersions(botId: string): UseQueryResult<BotVersion[]> {
  return useQuery({
    queryKey: [...botDetailsKey(botId), 'versions'],
    queryFn: ({ signal }) => api.listBotVersions({ params: { id: botId } }, { signal }),
    meta: { what: 'versions of a bot' },
  });
}
