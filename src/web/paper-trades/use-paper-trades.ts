import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';
import { dropDraft } from './drafts-store.ts';
import type { PaperTrade } from './trade-list.ts';

const tradesKey = ['paper-trades'] as const;

/** The paper trades and what can be done with them. */
export interface PaperTradesState {
  trades: readonly PaperTrade[] | undefined; // undefined while not loaded, or when that was refused
  failure: { detail: string | null } | null; // of the newest load
  isLoading: boolean;
  reload: () => void;
  saving: ReadonlySet<string>; // ids of trades whose comment is being saved
  saveComment: (tradeId: string, comment: string) => void;
}

/** Loads the newest paper trades of all bots, and saves comments on them. */
export function usePaperTrades(): PaperTradesState {
  const queryClient = useQueryClient();
  const [saving, setSaving] = useState<ReadonlySet<string>>(new Set());
  const list = useQuery({
    queryKey: tradesKey,
    queryFn: ({ signal }) => api.listTrades({ query: { mode: 'paper' } }, { signal }),
    meta: { what: 'paper trades' },
  });
  const save = useMutation({
    mutationFn: ({ tradeId, comment }: { tradeId: string; comment: string }) =>
      api.addTradeNote({ params: { id: tradeId }, body: { note: comment } }),
    onMutate: ({ tradeId }) => setSaving((before) => new Set([...before, tradeId])),
    onSuccess: async ({ note }, { tradeId, comment }) => {
      await queryClient.cancelQueries({ queryKey: tradesKey }); // an answer of before must not take the comment away
      queryClient.setQueryData<PaperTrade[]>(tradesKey, (trades) =>
        trades?.map((trade) => (trade.trade_id === tradeId ? { ...trade, comment: note } : trade)),
      );
      dropDraft(tradeId, comment);
      showToast('success', 'Comment saved successfully');
    },
    onError: (error, { tradeId }) => showToast('error', `Failed to save comment for trade ${tradeId}`, reasonOf(error)),
    onSettled: (_, __, { tradeId }) => setSaving((before) => new Set([...before].filter((id) => id !== tradeId))),
  });
  return {
    trades: heldData(list),
    failure: list.isError ? { detail: reasonOf(list.error) } : null,
    isLoading: list.isFetching,
    reload: () => void list.refetch(),
    saving,
    saveComment: (tradeId, comment) => save.mutate({ tradeId, comment }),
  };
}
