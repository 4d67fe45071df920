import type { CallInput, CallReply } from '#contract/client.ts';
import { epochsAtOnce } from '#contract/studies.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { changeAddress } from '../../address/address.ts';
import { api } from '../../api/api.ts';
import { detailOf } from '../../api/api-error.ts';
import { cancelledText, isAbort } from '../../live/until-aborted.ts';
import { useSending } from '../../live/use-sending.ts';
import { showToast } from '../../ui/toast.ts';
import { isStillAt, placeNow } from '../place.ts';

/** A study, as it is listed. */
export type StudyItem = CallReply<'listStudies'>['studies'][number];

/** What is said about it beside its epochs. */
export type StudyFacts = NonNullable<CallReply<'study'>['details']>;

/** One try of a study. */
export type Epoch = CallReply<'study'>['epochs'][number];

/** What is searched: a number with its range. */
export type StudyDimension = StudyItem['dimensions'][number];

/** A study with all its epochs so far. */
export interface FollowedStudy {
  study: StudyItem;
  details: StudyFacts | null;
  epochs: readonly Epoch[];
}

/** What a study is asked for with. */
export type NewStudy = CallInput<'startStudy'>['body'];

const listKey = ['studies'] as const;

/** A study is followed once a second; the list of them less often. */
const followMs = 1_000;
const listMs = 3_000;

/** Whether a study is under way. */
export function isUnderWay({ status }: Pick<StudyItem, 'status'>): boolean {
  return status === 'queued' || status === 'running' || status === 'judging';
}

/** The newest studies. */
export function useStudies() {
  return useQuery({
    queryKey: listKey,
    queryFn: async ({ signal }) => (await api.listStudies({}, { signal })).studies,
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) === true ? listMs : false),
    meta: { what: 'studies' },
  });
}

/** One study, followed: each time only the epochs are loaded that are new. */
export function useFollowedStudy(id: string) {
  const queryClient = useQueryClient();
  const queryKey = ['study', id];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<FollowedStudy> => {
      const known = queryClient.getQueryData<FollowedStudy>(queryKey)?.epochs ?? [];
      let epochs = known;
      for (;;) {
        const reply = await api.study({ params: { id }, query: { after: String(epochs.length) } }, { signal });
        if (reply.epochs.length > 0) epochs = [...epochs, ...reply.epochs];
        if (reply.epochs.length < epochsAtOnce) return { study: reply.study, details: reply.details, epochs };
      }
    },
    // What was loaded is the same list as long as there is no new epoch: comparing thousands of them would only take time.
    structuralSharing: false,
    refetchInterval: ({ state: { data } }) => (data !== undefined && (isUnderWay(data.study) || isOpening(data)) ? followMs : false),
    meta: { what: 'study' },
  });
}

/** Whether the sealed time was opened and is still being run. */
function isOpening({ study, details }: FollowedStudy): boolean {
  return details?.unsealed?.figures === null && study.error === null;
}

/** What there is to search; nothing before everything it depends on is chosen. */
export function useStudySpace(asked: CallInput<'studySpace'>['body'] | null) {
  return useQuery({
    queryKey: ['study-space', asked],
    queryFn: async ({ signal }) => (asked === null ? [] : (await api.studySpace({ body: asked }, { signal })).dimensions),
    enabled: asked !== null,
    staleTime: 60_000,
    meta: { what: 'what can be searched' },
  });
}

/** Begins a study, and shows it to whoever has opened nothing else meanwhile. */
export function useStartStudy() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: NewStudy) => api.startStudy({ body }),
    onMutate: placeNow,
    onSuccess: async ({ id }, _, place) => {
      await queryClient.invalidateQueries({ queryKey: listKey });
      if (isStillAt(place, id)) showStudy(id);
      else showToast('success', 'The study has started');
    },
  });
}

/** Cancels a study, opens its sealed time, and removes it; of the latter two nothing more goes out once `cancelSending` was called. */
export function useStudyActions(id: string) {
  const queryClient = useQueryClient();
  const settled = () =>
    Promise.all([queryClient.invalidateQueries({ queryKey: listKey }), queryClient.invalidateQueries({ queryKey: ['study', id] })]);
  const sending = useSending();
  const failed = (text: string) => (error: Error) => showToast('error', detailOf(error) ?? text);
  const cancelledOr = (mayBe: string, text: string) => (error: Error) =>
    isAbort(error) ? showToast('error', `${cancelledText} ${mayBe}: look at the study.`) : failed(text)(error);
  return {
    cancelling: useMutation({
      mutationFn: () => api.cancelStudy({ params: { id } }),
      onError: failed('Failed to cancel the study'),
      onSettled: settled,
    }),
    opening: useMutation({
      mutationFn: (epoch: number) => sending.send((signal) => api.openSeal({ params: { id }, body: { epoch } }, { signal })),
      onError: cancelledOr('The sealed time may be open already', 'Failed to open the seal'),
      onSettled: settled,
    }),
    removing: useMutation({
      mutationFn: () => sending.send((signal) => api.removeStudy({ params: { id } }, { signal })),
      onMutate: placeNow,
      onSuccess: (_, __, place) => {
        queryClient.removeQueries({ queryKey: ['study', id] });
        if (isStillAt(place, id)) showStudy(null);
        else showToast('success', 'The study has been removed');
      },
      onError: cancelledOr('It may be removed already', 'Failed to remove the study'),
      onSettled: () => queryClient.invalidateQueries({ queryKey: listKey }),
    }),
    cancelSending: () => void sending.cancel(),
  };
}

/** Shows a study, or the form of a new one. */
export function showStudy(id: string | null): void {
  changeAddress({ run: id, compare: null });
}
