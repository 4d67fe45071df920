import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { signInApi } from '../api/sign-in-api.ts';

/** What a page for strangers is to know of the server. */
export interface RegistrationState {
  registration: CallReply<'getRegistration'>['registration'] | null; // null while not known
  mailsGoToFiles: boolean; // no mail server is set up
  recheck: () => void;
}

/** Who may make an account. When that cannot be asked the form is shown as for everybody: the server decides in any case. */
export function useRegistration(): RegistrationState {
  const { data, isError, refetch } = useQuery({
    queryKey: ['registration'],
    queryFn: ({ signal }) => signInApi.getRegistration({}, { signal }),
    gcTime: 0,
    meta: { what: 'who may sign up' },
  });
  return {
    registration: data?.registration ?? (isError ? 'open' : null),
    mailsGoToFiles: data?.mails_go_to === 'files',
    recheck: () => void refetch(),
  };
}
