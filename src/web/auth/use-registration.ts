import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { signInApi } from '../api/sign-in-api.ts';

/** Who may make an account. When that cannot be asked the form is shown as for everybody: the server decides in any case. */
export function useRegistration(): { registration: CallReply<'getRegistration'>['registration'] | null; recheck: () => void } {
  const { data, isError, refetch } = useQuery({
    queryKey: ['registration'],
    queryFn: async ({ signal }) => (await signInApi.getRegistration({}, { signal })).registration,
    gcTime: 0,
    meta: { what: 'who may sign up' },
  });
  return { registration: data ?? (isError ? 'open' : null), recheck: () => void refetch() };
}
