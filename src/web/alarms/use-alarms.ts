import type { CallReply } from '#contract/client.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { livePollMs } from '../live/use-live-status.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';

/** Something that needs a person now. */
export type Alarm = CallReply<'listAlarms'>[number];

const alarmsKey = ['alarms'] as const;

/** The open alarms of the viewer, polled while the dashboard is open, and the way to acknowledge some. */
export function useAlarms() {
  const queryClient = useQueryClient();
  const [busyId, setBusyId] = useState<string | null>(null);
  const query = useQuery({
    queryKey: alarmsKey,
    queryFn: ({ signal }) => api.listAlarms({}, { signal }),
    refetchInterval: livePollMs,
    refetchIntervalInBackground: true,
    meta: { what: 'alarms' },
  });
  return {
    alarms: heldData(query) ?? [],
    busyId,
    acknowledge: async (some: readonly Alarm[]): Promise<void> => {
      setBusyId(some[0]?.id ?? null);
      try {
        for (const { id } of some) await api.acknowledgeAlarm({ params: { id } });
      } catch (error) {
        showToast('error', `The alarm was not acknowledged. ${reasonOf(error) ?? 'Please try again.'}`);
      }
      await queryClient.invalidateQueries({ queryKey: alarmsKey });
      setBusyId(null);
    },
  };
}
