import { builtInServerConfig, serverConfig } from '#contract/settings.ts';
import type { Bot } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { reasonOf } from '../../session/login-flow.ts';
import { heldData } from '../../api/outage.ts';
import { isAdmin } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import type { Parameter } from '../../ui/parameter-text.ts';
import type { BotEntries, Limits } from './bot-entries.ts';

/** A strategy as the server lists it. */
export type Strategy = CallReply<'listStrategies'>['strategies'][number];

/** What exchanges offer changes by the day, not by the minute; in ms. */
const offeredStaleMs = 600_000;

/** The strategies; empty while not loaded or failed. */
export function useStrategies(): readonly Strategy[] {
  const { data } = useQuery({
    queryKey: ['strategies'],
    queryFn: async ({ signal }) => (await api.listStrategies({}, { signal })).strategies,
    meta: { what: 'strategies' },
  });
  return data ?? [];
}

/** The parameters of a strategy, as far as they are loaded. */
export function useParameters(strategyId: string): { list: readonly Parameter[] | undefined; hasFailed: boolean; reload: () => void } {
  const query = useQuery({
    queryKey: ['strategy-parameters', strategyId],
    queryFn: async ({ signal }) => (await api.strategyDetails({ params: { id: strategyId } }, { signal })).parameters,
    enabled: strategyId !== '',
    staleTime: offeredStaleMs,
    meta: { what: 'parameters of a strategy' },
  });
  return { list: heldData(query), hasFailed: query.isError, reload: () => void query.refetch() };
}

/**
 * The currencies a bot can pay with there, and whether they are loaded; empty until exchange and market type are set. An
 * answer belongs to the exchange and market it was asked for, so a late one never fills another list.
 */
export function useStakeCurrencies(exchange: string, marketType: BotEntries['marketType']): readonly string[] {
  const { data } = useQuery({
    queryKey: ['stake-currencies', exchange, marketType],
    queryFn: async ({ signal }) => {
      if (marketType === '') return [];
      return (await api.stakeCurrencies({ params: { exchange }, query: { market_type: marketType } }, { signal })).stake_currencies;
    },
    enabled: exchange !== '' && marketType !== '',
    staleTime: offeredStaleMs,
    meta: { what: 'stake currencies' },
  });
  return data ?? [];
}

/** The pairs a bot can trade there; empty until exchange, market type and stake currency are set. */
export function usePairs(exchange: string, marketType: BotEntries['marketType'], stakeCurrency: string): readonly string[] {
  const { data } = useQuery({
    queryKey: ['trading-pairs', exchange, marketType, stakeCurrency],
    queryFn: async ({ signal }) => {
      if (marketType === '') return [];
      const query = { market_type: marketType, stake_currency: stakeCurrency };
      return (await api.tradingPairs({ params: { exchange }, query }, { signal })).trading_pairs;
    },
    enabled: exchange !== '' && marketType !== '' && stakeCurrency !== '',
    staleTime: offeredStaleMs,
    meta: { what: 'trading pairs' },
  });
  return data ?? [];
}

/** Limits and defaults of the form; the built-in ones while the server's are not known. */
export function useLimits(): { limits: Limits; error: string | null } {
  const { data, error } = useQuery({
    queryKey: ['server-config'],
    queryFn: async ({ signal }) => serverConfig.parse((await api.getSetting({ params: { key: 'server_config' } }, { signal })).value),
    staleTime: Infinity,
    meta: { what: 'server config' },
  });
  return {
    limits: data ?? builtInServerConfig,
    error: error === null ? null : `Failed to load server config: ${reasonOf(error) ?? messageOf(error)}`,
  };
}

/** The e-mail addresses of all accounts, for admins; others are not asked for. */
export function useKnownEmails(isForAdmin: boolean): { emails: readonly string[]; error: string | null } {
  const { data, error } = useQuery({ ...knownUsers, enabled: isForAdmin });
  const emails = useMemo(() => data?.map(({ email }) => email) ?? [], [data]);
  return { emails, error: isForAdmin && error !== null ? 'Failed to load data. Please try again.' : null };
}

/** The keys that another person has stored for an exchange, for an admin at that person's bot; none for anybody else. */
export function useKeysOf({ user_id: ownerId, exchange_id: exchangeId }: Pick<Bot, 'user_id' | 'exchange_id'>): readonly KeyOfOwner[] {
  const user = useUser();
  const { data } = useQuery({ ...knownUsers, enabled: isAdmin(user) && user?.userId !== ownerId });
  const owner = data?.find(({ id }) => id === ownerId);
  return owner?.api_keys.filter((key) => key.exchange_id === exchangeId) ?? [];
}

type KeyOfOwner = CallReply<'listUsers'>[number]['api_keys'][number];

const knownUsers = {
  queryKey: ['known-users'],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.listUsers({}, { signal }),
  meta: { what: 'users' },
} as const;
