import type { CallReply } from '#contract/client.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { cancelledText, isAbort } from '../live/until-aborted.ts';
import { useSending } from '../live/use-sending.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';
import type { Strategy } from './strategy-fields.ts';

/** A version of a strategy's settings. */
export type Version = CallReply<'listStrategyVersions'>[number];

/** The versions of a strategy and what can be done with them. */
export interface VersionsState {
  versions: readonly Version[] | undefined; // undefined while not loaded, or when that failed
  loadFailure: { detail: string | null } | null;
  restoreFailure: { detail: string | null } | null;
  isLoading: boolean;
  isRestoring: boolean;
  reload: () => Promise<void>; // the strategy too
  restore: (version: Version, seen: number) => Promise<boolean>; // whether it was restored, over the version that was shown as the one in force
  cancelRestore: () => void; // nothing more of it goes out
}

/** Loads the versions of a strategy, and restores one. */
export function useVersions({ id }: Strategy, reloadStrategies: () => Promise<void>): VersionsState {
  const queryClient = useQueryClient();
  const [restoreFailure, setRestoreFailure] = useState<{ detail: string | null } | null>(null);
  const [isRestoring, setRestoring] = useState(false);
  const sending = useSending();
  const query = useQuery({
    queryKey: ['strategy-versions', id],
    queryFn: ({ signal }) => api.listStrategyVersions({ params: { id } }, { signal }),
    meta: { what: 'strategy versions' },
  });
  const reload = () => Promise.all([reloadStrategies(), queryClient.refetchQueries({ queryKey: ['strategy-versions', id] })]);
  return {
    versions: heldData(query),
    loadFailure: query.isError ? { detail: reasonOf(query.error) } : null,
    restoreFailure,
    isLoading: query.isFetching,
    isRestoring,
    async reload() {
      await Promise.all([reloadStrategies(), query.refetch()]);
      setRestoreFailure(null);
    },
    async restore({ version }, seen) {
      setRestoring(true);
      setRestoreFailure(null);
      try {
        await sending.send((signal) => api.restoreStrategyVersion({ params: { id, version } }, { version: seen, signal }));
        await reload();
        showToast('success', `Version ${version} restored`);
        return true;
      } catch (error) {
        if (isAbort(error)) {
          showToast('error', `${cancelledText} Version ${version} may have been restored already: check the history.`);
          await reload();
        } else setRestoreFailure({ detail: reasonOf(error) });
        return false;
      } finally {
        setRestoring(false);
      }
    },
    cancelRestore: () => void sending.cancel(),
  };
}
