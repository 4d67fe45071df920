import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { livePollMs } from '../live/use-live-status.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';
import type { LimitChange, Limits } from './limit-draft.ts';

/** Whose limits. */
export interface LimitTarget {
  level: Limits['level'];
  id?: string; // of the user or bot
}

/** The limits of a target and what can be done with them; the use of each is polled. */
export function useLimits(target: LimitTarget) {
  const queryClient = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const [failed, setFailed] = useState<{ of: string; detail: string | null } | null>(null); // the newest save, of whose limits
  const key = ['limits', target.level, target.id ?? ''] as const;
  const whose = key.join(' ');
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.getLimits({ query: target }, { signal }),
    refetchInterval: livePollMs,
    meta: { what: 'limits' },
  });
  return {
    limits: heldData(query),
    loadFailure: query.isError ? { detail: reasonOf(query.error) } : null,
    isLoading: query.isFetching,
    reload: query.refetch,
    isSaving,
    saveFailure: failed?.of === whose ? failed : null,
    clearFailure: () => setFailed(null),
    /** Saves all changes or none; true when they are saved. */
    async save(changes: readonly LimitChange[]): Promise<boolean> {
      setSaving(true);
      setFailed(null);
      try {
        const body = { ...target, changes: changes.map(({ limit: { name, currency }, value }) => ({ name, currency, value })) };
        const saved = await api.changeLimits({ body });
        await queryClient.cancelQueries({ queryKey: key }); // an answer under way may be older
        queryClient.setQueryData<Limits>(key, saved);
        showToast('success', 'Limits saved!');
        return true;
      } catch (error) {
        setFailed({ of: whose, detail: reasonOf(error) });
        return false;
      } finally {
        setSaving(false);
      }
    },
  };
}
