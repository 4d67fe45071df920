import type { CallReply } from '#contract/client.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import { useUser } from '../session/use-session.ts';
import { saveFile } from '../ui/save-file.ts';
import { showToast } from '../ui/toast.ts';

/** The certificate of a day as it is answered, also where there is none. */
export type CertificateOfDay = CallReply<'botCertificate'>;

/** What a certificate says besides its figures. */
export type Certificate = NonNullable<CertificateOfDay['certificate']>;

/** A trade of either side. */
export type CertifiedTrade = Certificate['trades'][number];

/** The figures of one of many days. */
export type CertificateFigures = CallReply<'botCertificates'>['certificates'][number];

const newestKey = ['certificates', 'newest'];

/** How often what is shown is asked for again, and a day that is being replayed, in ms: certificates come by themselves each night. */
const againMs = 60_000;
const replayingMs = 1_500;

/** The bots whose certificates the person may see: their own, for admins those of all. */
export function useCertifiedBots() {
  const user = useUser();
  const query = useQuery({
    queryKey: ['certificates', 'bots', user?.userId],
    queryFn: async ({ signal }) =>
      (await api.listBots({ query: {} }, { signal })).filter((bot) => user?.role === 'admin' || bot.user_id === user?.userId),
    meta: { what: 'bots' },
  });
  return {
    bots: heldData(query),
    failure: query.isError ? reasonOf(query.error) : null,
    isLoading: query.isFetching,
    refetch: query.refetch,
  };
}

/** All certificates of a bot, the newest day first. */
export function useCertificates(botId: string | null) {
  const query = useQuery({
    queryKey: ['certificates', 'of', botId],
    queryFn: ({ signal }) => api.botCertificates({ params: { id: botId ?? '' } }, { signal }),
    enabled: botId !== null,
    refetchInterval: againMs,
    meta: { what: 'certificates' },
  });
  return {
    certificates: heldData(query)?.certificates,
    failure: query.isError ? reasonOf(query.error) : null,
    isLoading: query.isFetching,
    refetch: query.refetch,
  };
}

/** The newest certificate of a bot, of all that the person may see. */
export type NewestCertificate = CallReply<'newestCertificates'>['certificates'][number];

/** The newest certificate of each bot; first those that need a look. */
export function useNewestCertificates() {
  const query = useQuery({
    queryKey: newestKey,
    queryFn: ({ signal }) => api.newestCertificates({}, { signal }),
    refetchInterval: againMs,
    meta: { what: 'certificates' },
  });
  return {
    newest: heldData(query)?.certificates,
    failure: query.isError ? reasonOf(query.error) : null,
    isLoading: query.isFetching,
    refetch: query.refetch,
  };
}

/** The certificate of a bot and a day; while the day is being replayed it is asked for more often. */
export function useCertificate(botId: string | null, day: string | null) {
  const client = useQueryClient();
  const shown = { id: botId ?? '', day: day ?? '' };
  const key = keyOf(shown);
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<CertificateOfDay>(key);
      const answer = await api.botCertificate({ params: shown }, { signal });
      // The line over time has another point now, and the list another newest day.
      if (before !== undefined && hasAnother(before, answer))
        await Promise.all(
          [['certificates', 'of', botId], newestKey].map((stale) => client.invalidateQueries({ queryKey: stale, exact: true })),
        );
      return answer;
    },
    enabled: botId !== null && day !== null,
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? replayingMs : againMs),
    meta: { what: 'certificate' },
  });
  // Another bot or day may be chosen before these are answered.
  const replay = useMutation({
    mutationFn: (of: typeof shown) => api.replayDay({ params: of }),
    onError: (error) => showToast('error', 'Failed to replay the day', reasonOf(error)),
    onSettled: (_, __, of) => client.invalidateQueries({ queryKey: keyOf(of) }), // where it failed somebody else may have begun
  });
  const pdf = useMutation({
    mutationFn: (of: typeof shown) => api.certificatePdf({ params: of }),
    onSuccess: (file, of) => saveFile(`certificate_${of.day}.pdf`, 'application/pdf', file as Blob),
    onError: (error) => showToast('error', 'Failed to download PDF', reasonOf(error)),
  });
  return {
    answer: heldData(query),
    failure: query.isError ? reasonOf(query.error) : null,
    isLoading: query.isFetching,
    refetch: () => void query.refetch(),
    replay: () => replay.mutate(shown),
    isAsking: replay.isPending && replay.variables.id === shown.id && replay.variables.day === shown.day,
    download: () => pdf.mutate(shown),
    isDownloading: pdf.isPending,
  };
}

function keyOf({ id, day }: { id: string; day: string }) {
  return ['certificates', 'of', id, day] as const;
}

/** Whether a replay of a day has ended between two answers. */
function hasAnother(before: CertificateOfDay, after: CertificateOfDay): boolean {
  return !isUnderWay(after) && (isUnderWay(before) || before.replayed_at !== after.replayed_at || before.state !== after.state);
}

/** Whether a day waits to be replayed, or is being replayed. */
export function isUnderWay({ state }: Pick<CertificateOfDay, 'state'>): boolean {
  return state === 'waiting' || state === 'replaying';
}
