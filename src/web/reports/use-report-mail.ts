import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';

const reportMailKey = ['report-mail'] as const;

/** Whether the person gets the report of each day by mail, as far as it is loaded. */
export interface ReportMailState {
  isWanted: boolean | undefined; // undefined while not loaded
  goesToFiles: boolean; // no mail server is set up
  hasFailed: boolean;
  isBusy: boolean;
  retry: () => void;
  change: (wanted: boolean) => void;
}

/** Loads whether the person gets the reports by mail, and changes it. */
export function useReportMail(): ReportMailState {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: reportMailKey,
    queryFn: ({ signal }) => api.getReportMail({}, { signal }),
    meta: { what: 'report mail' },
  });
  const save = useMutation({
    mutationFn: (wanted: boolean) => api.setReportMail({ body: { wanted } }),
    onSuccess: async (reply) => {
      await queryClient.cancelQueries({ queryKey: reportMailKey }); // an answer under way may be older
      queryClient.setQueryData(reportMailKey, reply);
    },
    onError: (error) => showToast('error', 'Failed to change the mailed report', reasonOf(error)),
  });
  const data = heldData(query);
  return {
    isWanted: data?.wanted,
    goesToFiles: data?.goes_to === 'files',
    hasFailed: query.isError && data === undefined,
    isBusy: save.isPending,
    retry: () => void query.refetch(),
    change: (wanted) => save.mutate(wanted),
  };
}
