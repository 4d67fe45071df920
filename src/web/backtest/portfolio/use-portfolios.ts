import type { CallInput, CallReply } from '#contract/client.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { detailOf } from '../../api/api-error.ts';
import { showToast } from '../../ui/toast.ts';
import { isStillAt, placeNow } from '../place.ts';
import { runFailed, runPollMs } from '../use-backtests.ts';
import { showPortfolio } from './portfolio-store.ts';

/** A run over several pairs, as it is listed. */
export type PortfolioRun = CallReply<'listPortfolios'>['runs'][number];

/** What a run came to. */
export type PortfolioDetails = NonNullable<CallReply<'portfolio'>['details']>;

/** What some trades of a run came to. */
export type PortfolioGroup = PortfolioDetails['total'];

/** Runs over several pairs. */
export interface Portfolios {
  runs: readonly PortfolioRun[] | undefined; // newest first
  runsFailed: boolean;
  reload: () => void;
  open: PortfolioRun | null; // of the caller, under way
  isStarting: boolean;
  failure: string | null; // why the last one could not be started
  start: (body: CallInput<'startPortfolio'>['body']) => void;
  cancel: (id: string) => void;
  isCancelling: boolean;
}

const runsKey = ['portfolios'] as const;

/** Loads the runs, and starts and cancels them. A run continues whether or not this page is open. */
export function usePortfolios(): Portfolios {
  const queryClient = useQueryClient();
  const list = useQuery({
    queryKey: runsKey,
    queryFn: async ({ signal }) => (await api.listPortfolios({}, { signal })).runs,
    refetchInterval: ({ state }) => (state.data?.some(isOpen) === true ? runPollMs : false),
    meta: { what: 'backtests' },
  });
  const starting = useMutation({
    mutationFn: (body: CallInput<'startPortfolio'>['body']) => api.startPortfolio({ body }),
    onMutate: placeNow,
    onSuccess: async ({ id }, _, place) => {
      await queryClient.invalidateQueries({ queryKey: runsKey });
      if (isStillAt(place, id)) showPortfolio(id, 'replace');
      else showToast('success', 'The backtest has started');
    },
  });
  const cancelling = useMutation({
    mutationFn: (id: string) => api.cancelBacktest({ params: { id } }),
    onError: (error) => showToast('error', detailOf(error) ?? 'Failed to cancel the backtest'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: runsKey }),
  });
  return {
    runs: list.data,
    runsFailed: list.isError && list.data === undefined,
    reload: () => void list.refetch(),
    open: list.data?.find((run) => run.is_own && isOpen(run)) ?? null,
    isStarting: starting.isPending,
    failure: starting.error === null ? null : (detailOf(starting.error) ?? runFailed),
    start: starting.mutate,
    cancel: cancelling.mutate,
    isCancelling: cancelling.isPending,
  };
}

/** A run in full; its details are null while it has none. */
export function usePortfolio(id: string | null, isDone: boolean) {
  return useQuery({
    queryKey: ['portfolio', id, isDone],
    queryFn: ({ signal }) => api.portfolio({ params: { id: id ?? '' } }, { signal }),
    enabled: id !== null,
    staleTime: isDone ? Infinity : 0,
    meta: { what: 'backtest' },
  });
}

/** Whether a run is under way. */
export function isOpen({ status }: Pick<PortfolioRun, 'status'>): boolean {
  return status === 'downloading' || status === 'running';
}
