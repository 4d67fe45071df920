import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import { discardDraftOf } from './draft-store.ts';
import type { Strategy, StrategyChanges } from './strategy-fields.ts';

const strategiesKey = ['strategies'] as const;

/** Why the newest save failed. */
export interface SaveFailure {
  detail: string | null;
  isStale: boolean; // somebody else has changed the strategy: it has to be loaded again first
}

/** The strategies and what can be done with them. */
export interface StrategiesState {
  strategies: readonly Strategy[] | undefined; // undefined while not loaded, or when that failed
  isLoading: boolean;
  isSaving: boolean;
  failure: SaveFailure | null;
  clearFailure: () => void;
  reload: () => Promise<void>;
  save: (strategy: Strategy, changes: StrategyChanges) => Promise<boolean>; // whether it was saved
}

/** Loads the strategies, and saves changes of one; what was typed stays until it is saved. */
export function useStrategies(): StrategiesState {
  const queryClient = useQueryClient();
  const [failure, setFailure] = useState<SaveFailure | null>(null);
  const [isSaving, setSaving] = useState(false);
  const query = useQuery({
    queryKey: strategiesKey,
    queryFn: async ({ signal }) => (await api.listStrategies({}, { signal })).strategies,
    meta: { what: 'strategies' },
  });
  const reload = () => queryClient.refetchQueries({ queryKey: strategiesKey });
  return {
    strategies: heldData(query),
    isLoading: query.isFetching,
    isSaving,
    failure,
    clearFailure: () => setFailure(null),
    async reload() {
      await reload();
      setFailure(null);
    },
    async save({ id, version }, changes) {
      setSaving(true);
      setFailure(null);
      try {
        const saved = await api.updateStrategy({ params: { id }, body: changes }, { version });
        // The list may not be loaded again now: what was saved is shown all the same.
        queryClient.setQueryData<readonly Strategy[]>(strategiesKey, (all) => all?.map((each) => (each.id === id ? saved : each)));
        await reload();
        discardDraftOf(id);
        void queryClient.invalidateQueries({ queryKey: ['strategy-versions', id] });
        return true;
      } catch (error) {
        console.error('Failed to save strategy:', error);
        const isStale = error instanceof ApiError && error.status === 409;
        setFailure({ detail: reasonOf(error), isStale });
        if (isStale) void queryClient.invalidateQueries({ queryKey: ['strategy-versions', id] }); // it shows who changed what
        return false;
      } finally {
        setSaving(false);
      }
    },
  };
}
