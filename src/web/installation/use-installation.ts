import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { heldData } from '../api/outage.ts';
import { botsKey } from '../api/query-keys.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';
import { dropSaved } from './draft-store.ts';
import type { Draft, Settings } from './settings-draft.ts';
import { changesOf } from './settings-draft.ts';

const installationKey = ['installation'] as const;

/** Why saving failed. */
export interface SaveFailure {
  detail: string | null;
  isStale: boolean; // somebody else has changed the settings: they have to be loaded again first
}

/** The settings and what can be done with them. */
export interface InstallationState {
  settings: Settings | undefined; // undefined while not loaded, or when that failed
  loadFailure: { detail: string | null } | null;
  saveFailure: SaveFailure | null;
  isLoading: boolean;
  isSaving: boolean;
  reload: () => Promise<void>;
  clearFailure: () => void;
  save: (settings: Settings, draft: Draft) => Promise<void>;
}

/** Loads the settings of the installation, and saves a draft of them; what was entered stays until it is saved. */
export function useInstallation(): InstallationState {
  const queryClient = useQueryClient();
  const [saveFailure, setSaveFailure] = useState<SaveFailure | null>(null);
  const [isSaving, setSaving] = useState(false);
  const query = useQuery({
    queryKey: installationKey,
    queryFn: ({ signal }) => api.getInstallation({}, { signal }),
    gcTime: 0, // who comes back sees what is in force
    meta: { what: 'settings of the installation' },
  });
  return {
    settings: heldData(query),
    loadFailure: query.isError ? { detail: reasonOf(query.error) } : null,
    saveFailure,
    isLoading: query.isFetching,
    isSaving,
    clearFailure: () => setSaveFailure(null),
    async reload() {
      const { isError } = await query.refetch();
      if (!isError) setSaveFailure(null);
    },
    async save(settings, draft) {
      setSaving(true);
      setSaveFailure(null);
      try {
        const saved = await api.changeInstallation({ body: { version: settings.version, ...changesOf(settings, draft) } });
        await queryClient.cancelQueries({ queryKey: installationKey }); // an answer under way may be older
        queryClient.setQueryData<Settings>(installationKey, saved);
        if (saved.shared_bot_list !== settings.shared_bot_list) void queryClient.invalidateQueries({ queryKey: botsKey });
        dropSaved(draft);
        showToast('success', 'Settings saved!');
      } catch (error) {
        setSaveFailure({ detail: reasonOf(error), isStale: error instanceof ApiError && error.status === 409 });
      }
      setSaving(false);
    },
  };
}
