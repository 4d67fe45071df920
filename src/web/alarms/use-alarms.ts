import type { CallReply } from '#contract/client.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import type { Pulse } from '../live/use-pulse.ts';
import { pulseKey, usePulse } from '../live/use-pulse.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';

/** Something that needs a person now. */
export type Alarm = CallReply<'listAlarms'>[number];

/** How many a call may name. */
const mostAtOnce = 1_000;

/** The open alarms of the viewer, polled while the dashboard is open, and the way to acknowledge some. */
export function useAlarms() {
  const queryClient = useQueryClient();
  const [busyId, setBusyId] = useState<string | null>(null); // of the first of those being acknowledged
  const query = usePulse(alarmsOf);
  return {
    alarms: heldData(query) ?? [],
    busyId,
    acknowledge: async (some: readonly Alarm[]): Promise<void> => {
      setBusyId(some[0]?.id ?? null);
      try {
        const seen = some.map(({ id, count }) => ({ id, count }));
        let hasGrown = false;
        for (let from = 0; from < seen.length; from += mostAtOnce)
          hasGrown =
            (await api.acknowledgeAlarms({ body: { seen: seen.slice(from, from + mostAtOnce) } })).happened_since.length > 0 || hasGrown;
        if (hasGrown) showToast('error', 'What has happened again since was not acknowledged. Look at it once more.');
      } catch (error) {
        showToast(
          'error',
          `${some.length === 1 ? 'The alarm was' : 'The alarms were'} not acknowledged. ${reasonOf(error) ?? 'Please try again.'}`,
        );
      }
      await queryClient.invalidateQueries({ queryKey: pulseKey });
      setBusyId(null);
    },
  };
}

const alarmsOf = ({ alarms }: Pulse) => alarms;

/** Each time that an alarm stands for; nothing is asked for while it is not shown. */
export function useAlarmItems({ id, count }: Alarm, isShown: boolean): CallReply<'listAlarmItems'> | undefined {
  return useQuery({
    queryKey: ['alarm-items', id, count],
    queryFn: ({ signal }) => api.listAlarmItems({ params: { id } }, { signal }),
    enabled: isShown,
    meta: { what: 'the list of an alarm' },
  }).data;
}
