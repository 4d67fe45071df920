import type { MutationState } from '@tanstack/react-query';
import { useMutation, useMutationState, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api/api.ts';
import { ApiError, detailOf } from '../api/api-error.ts';
import { heldData } from '../api/outage.ts';
import { useExchanges } from '../api/use-exchanges.ts';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { showToast } from '../ui/toast.ts';
import type { Choice } from './backtest-form.ts';
import { isNothingOpened, showRun, useShownId } from './backtest-store.ts';
import type { Place } from './place.ts';
import { isStillAt, placeNow } from './place.ts';
import type { AskedRun, BacktestRequest, BacktestRun } from './run-list.ts';
import { hasBegun, isOpen, isWhole, newestFirst, runToFollow, withReply } from './run-list.ts';

/** How often the list is asked for while a run is open, in ms. */
export const runPollMs = 1000;

/** What is said when a run fails and the server does not say why. */
export const runFailed = 'Failed to run backtest';

/** Backtests: what can be run, what runs, what has run. */
export interface Backtests {
  strategies: readonly Choice[] | undefined; // undefined while not loaded or failed
  exchanges: readonly Choice[] | undefined;
  choicesFailure: { detail: string | null } | null; // strategies or exchanges could not be loaded
  runs: readonly BacktestRun[] | undefined; // newest first
  runsFailed: boolean; // there is nothing to show of them
  reloadRuns: () => void;
  open: BacktestRun | null; // the run that is followed
  isAsked: boolean; // a run was asked for here and has not been answered
  canRun: boolean; // one run per person at a time
  failure: string | null; // why the newest run that was asked for here failed
  run: (request: BacktestRequest) => void;
  cancel: (id: string) => void; // a run that is under way
  isCancelling: boolean;
}

type Attempt = MutationState<unknown, Error, BacktestRequest, { before: string[]; place: Place }>;

const runsKey = ['backtests'] as const;
const attemptKey = ['run-backtest'] as const;

/**
 * Loads what the screen needs, and runs backtests.
 *
 * The call of a run stays open until its result. Meanwhile the list is asked for every second: it has the phase, also of
 * a run that was started in a tab that is closed by now.
 */
export function useBacktests(): Backtests {
  const queryClient = useQueryClient();
  const user = useUser();
  const choices = useChoicesToRun();
  const attempt = useMutationState({ filters: { mutationKey: attemptKey }, select: ({ state }) => state as Attempt }).at(-1);
  const isAsked = attempt?.status === 'pending';

  const list = useQuery({
    queryKey: runsKey,
    queryFn: async ({ signal }) => newestFirst((await api.backtestResults({ query: {} }, { signal })).results),
    refetchInterval: ({ state }) => (isAsked || state.data?.some(isOpen) === true ? runPollMs : false),
    refetchIntervalInBackground: true,
    meta: { what: 'backtests' },
  });

  const { mutate } = useMutation({
    mutationKey: attemptKey,
    mutationFn: (request: BacktestRequest) => api.runBacktest({ body: request }),
    // What is shown stays until there is something newer: a run that fails takes nothing from the screen.
    onMutate: () => ({
      before: (queryClient.getQueryData<BacktestRun[]>(runsKey) ?? []).map(({ id }) => id),
      place: placeNow(),
    }),
    onSuccess: async (reply, request, { place }) => {
      await queryClient.cancelQueries({ queryKey: runsKey }); // an answer under way is older
      queryClient.setQueryData<BacktestRun[]>(runsKey, (runs) => withReply(runs ?? [], request, reply, new Date().toISOString()));
      if (isStillAt(place, reply.id)) showRun(reply.id, 'replace');
      else showToast('success', 'The backtest has finished');
      void queryClient.invalidateQueries({ queryKey: runsKey });
    },
    onError: () => queryClient.invalidateQueries({ queryKey: runsKey }),
  });

  const { mutate: cancel, isPending: isCancelling } = useMutation({
    mutationFn: (id: string) => api.cancelBacktest({ params: { id } }),
    onError: (error) => showToast('error', detailOf(error) ?? 'Failed to cancel the backtest'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: runsKey }),
  });

  const asked = isAsked ? askedRun(attempt) : null;
  const open = runToFollow(list.data ?? [], asked);
  const openId = open?.id ?? null;
  useEffect(() => {
    if (openId !== null && isNothingOpened()) showRun(openId, 'replace');
  }, [openId]);

  const shownId = useShownId();
  const isShownAsFailed = list.data?.find(({ id }) => id === shownId)?.status === 'failed';
  return {
    ...choices,
    runs: list.data,
    runsFailed: list.isError && list.data === undefined,
    reloadRuns: () => void list.refetch(),
    open,
    isAsked,
    canRun: !isAsked && (open === null || isAdmin(user)),
    failure: isShownAsFailed ? null : failureOf(attempt, list.data ?? []),
    run: mutate,
    cancel,
    isCancelling,
  };
}

/** Runs that the list does not have, because they are older: those that are loaded and exist. */
export function useLinkedRuns(ids: readonly string[]): BacktestRun[] {
  const queries = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['linked-backtest', id],
      queryFn: async ({ signal }: { signal: AbortSignal }) => (await api.backtestResults({ query: { id } }, { signal })).results[0] ?? null,
      staleTime: Infinity,
      meta: { what: 'backtest' },
    })),
  });
  return queries.flatMap((query) => heldData(query) ?? []);
}

/** The symbols that can be chosen for an exchange and market; none while they are not loaded, typing is free. */
export function useSymbols(exchangeId: string | null, tradingMode: BacktestRequest['trading_mode']): readonly string[] {
  const query = useQuery({
    queryKey: ['trading-pairs', exchangeId, tradingMode, 'USDT'],
    queryFn: async ({ signal }) => {
      const input = { params: { exchange: exchangeId ?? '' }, query: { market_type: tradingMode, stake_currency: 'USDT' } };
      return (await api.tradingPairs(input, { signal })).trading_pairs;
    },
    enabled: exchangeId !== null,
    staleTime: 600_000,
    meta: { what: 'trading pairs' },
  });
  return query.data ?? noSymbols;
}

const noSymbols: readonly string[] = [];

type RunToLoad = Pick<BacktestRun, 'id' | 'status' | 'details_removed_at'>;

/** A run in full; undefined while not loaded or failed. A finished run does not change. */
export function useRunInFull(run: RunToLoad) {
  return useQuery(runInFull(run));
}

/** The same of several runs. */
export function useRunsInFull(runs: readonly RunToLoad[]) {
  return useQueries({ queries: runs.map(runInFull) });
}

function runInFull(run: RunToLoad) {
  return {
    queryKey: ['backtest', run.id],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const [found] = (await api.backtestResults({ query: { id: run.id } }, { signal })).results;
      if (found?.details === undefined || found.details === null) throw new ApiError({ status: 404, detail: 'Not found' });
      return { ...found, details: found.details };
    },
    enabled: isWhole(run),
    staleTime: Infinity,
    meta: { what: 'backtest' },
  };
}

/** The strategies and exchanges that a run may be of. */
export function useChoicesToRun(): Pick<Backtests, 'strategies' | 'exchanges' | 'choicesFailure'> {
  const strategies = useQuery({
    queryKey: ['strategies'],
    queryFn: async ({ signal }) => (await api.listStrategies({}, { signal })).strategies,
    meta: { what: 'strategies' },
  });
  const exchanges = useExchanges();
  const error = strategies.error ?? exchanges.error;
  return {
    strategies: heldData(strategies),
    exchanges: heldData(exchanges),
    choicesFailure: error === null ? null : { detail: detailOf(error) },
  };
}

function askedRun({ variables, context }: Attempt): AskedRun | null {
  return variables === undefined ? null : { request: variables, before: context?.before ?? [] };
}

/** Why a run failed; null when it did not, and when only its call broke off while the run continues. */
function failureOf(attempt: Attempt | undefined, runs: readonly BacktestRun[]): string | null {
  if (attempt?.status !== 'error') return null;
  const detail = detailOf(attempt.error);
  const asked = askedRun(attempt);
  if (detail === null && asked !== null && hasBegun(runs, asked)) return null;
  return detail ?? runFailed;
}
