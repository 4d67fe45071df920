import type { CallReply } from '#contract/client.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import { saveFile } from '../ui/save-file.ts';
import { showToast } from '../ui/toast.ts';

/** The trades closed on one UTC day. */
export type Report = CallReply<'report'>;

/** The report of a day as far as it is loaded. */
export interface ReportState {
  report: Report | undefined; // undefined while not loaded, or when there is none
  isEmpty: boolean; // the day has no trades
  failure: { detail: string | null } | null; // of the newest load; a day without trades is none
  isLoading: boolean;
  refresh: () => void;
  download: () => void; // as a PDF file
  isDownloading: boolean;
}

/** Loads the report of a UTC day, YYYY-MM-DD, and saves it as a PDF file. */
export function useReport(day: string): ReportState {
  const query = useQuery({
    queryKey: ['report', day],
    queryFn: ({ signal }) => api.report({ params: { id: day } }, { signal }),
    meta: { what: 'daily report' },
  });
  const pdf = useMutation({
    mutationFn: (of: string) => api.reportPdf({ params: { id: of } }), // another day may be chosen before it comes
    onSuccess: (file, of) => saveFile(`report_${of}.pdf`, 'application/pdf', file as Blob),
    onError: (error) => showToast('error', 'Failed to download PDF', reasonOf(error)),
  });
  const isEmpty = query.error instanceof ApiError && query.error.status === 404;
  return {
    report: heldData(query),
    isEmpty,
    failure: query.isError && !isEmpty ? { detail: reasonOf(query.error) } : null,
    isLoading: query.isFetching,
    refresh: () => void query.refetch(),
    download: () => pdf.mutate(day),
    isDownloading: pdf.isPending,
  };
}
