import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { systemStatusKey } from '../api/query-keys.ts';
import { formatDuration, formatMoment } from '../ui/moment.ts';

const refreshMs = 60_000;

/** For admins and operators: how old the newest backup is that has passed its test. Empty where the product makes none. */
export function BackupLine() {
  const query = useQuery({
    queryKey: systemStatusKey,
    queryFn: ({ signal }) => api.systemStatus({}, { signal }),
    staleTime: Infinity,
    refetchInterval: ({ state }) => (state.data?.backup_test === undefined ? false : refreshMs), // others are answered without it
    meta: { what: 'system status' },
  });
  const status = heldData(query);
  if (status?.backup_test === undefined || status.backup_test === null) return null;
  const hasFailed = status.backup_test === 'error';
  return (
    <p className="mon-backup fl-number" data-failed={hasFailed || undefined} title={titleOf(status)}>
      {hasFailed ? 'The last backup failed its test. ' : ''}
      {ageOf(status)}
    </p>
  );
}

function ageOf({ time, last_backup_at: madeAt }: CallReply<'systemStatus'>): string {
  if (madeAt === undefined || madeAt === null) return 'No backup has passed its test yet.';
  return `Newest tested backup: ${formatDuration(Date.parse(time) - Date.parse(madeAt))} old`;
}

function titleOf({ last_backup_at: madeAt, last_backup_test_at: testedAt }: CallReply<'systemStatus'>): string {
  const tested = `Last tested ${formatMoment(testedAt ?? '')} UTC`;
  return madeAt === undefined || madeAt === null ? tested : `Made ${formatMoment(madeAt)} UTC. ${tested}`;
}
