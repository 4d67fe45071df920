import { useQuery } from '@tanstack/react-query';
import type { CallReply } from '#contract/client.ts';
import { api } from '../api/api.ts';
import { reasonOf } from '../session/login-flow.ts';

/** How the check of the log stands. */
export type AuditCheckState =
  | { step: 'checking' }
  | { step: 'failed'; detail: string | null }
  | { step: 'checked'; found: CallReply<'checkAudit'> };

/** Has the server check the whole log, each time the screen is opened. */
export function useAuditCheck(): AuditCheckState & { again: () => Promise<void> } {
  const check = useQuery({
    queryKey: ['audit-check'],
    queryFn: ({ signal }) => api.checkAudit({}, { signal }),
    staleTime: Infinity,
    gcTime: 0,
    meta: { what: 'check of the audit log' },
  });
  const again = async () => {
    await check.refetch();
  };
  if (check.isFetching) return { step: 'checking', again };
  if (check.data === undefined || check.isError) return { step: 'failed', detail: reasonOf(check.error), again };
  return { step: 'checked', found: check.data, again };
}
