import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api/api.ts';
import { systemStatusKey } from '../api/query-keys.ts';
import { useAvailableBots } from '../monitoring/use-monitoring.ts';
import { applyTheme } from '../session/theme-store.ts';

/** What the shell does once when it appears: apply the theme, ask how the platform is, load the bots to watch. */
export function useInitialize(): { isDegraded: boolean } {
  useEffect(applyTheme, []);
  const status = useQuery({
    queryKey: systemStatusKey,
    queryFn: ({ signal }) => api.systemStatus({}, { signal }),
    staleTime: Infinity,
    meta: { what: 'system status' },
  });
  useAvailableBots();
  return { isDegraded: status.data?.status === 'degraded' };
}
