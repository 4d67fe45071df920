import type { CallReply } from '#contract/client.ts';
import { useQueryClient } from '@tanstack/react-query';
import { heldData } from '../api/outage.ts';
import type { Pulse } from './use-pulse.ts';
import { pulseKey, usePulse } from './use-pulse.ts';

/** Where accounts do not hold what the trades of their bots say. */
export type Differences = CallReply<'listDifferences'>;

/** An open difference. */
export type Difference = Differences['open'][number];

/** One thing that a person may do about a difference. */
export type Choice = Difference['choices'][number];

/** An open trade without a stop that the exchange has confirmed. */
export type Unprotected = Differences['unprotected'][number];

/** The differences of the viewer's bots, polled while the dashboard is open. After a failure the last ones are kept. */
export function useDifferences() {
  const queryClient = useQueryClient();
  const query = usePulse(differencesOf);
  return {
    found: heldData(query),
    error: query.error,
    isLoading: query.isFetching,
    /** Loads them again; gives the newest. */
    reload: async (): Promise<Differences | undefined> => {
      await queryClient.invalidateQueries({ queryKey: pulseKey });
      return queryClient.getQueryData<Pulse>(pulseKey)?.differences;
    },
  };
}

const differencesOf = ({ differences }: Pulse) => differences;
