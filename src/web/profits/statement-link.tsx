import { useMutation } from '@tanstack/react-query';
import { basePath } from '../api/send.ts';
import { reasonOf } from '../session/login-flow.ts';
import { PdfLink } from '../ui/pdf-link.tsx';
import { saveFile } from '../ui/save-file.ts';
import { showToast } from '../ui/toast.ts';
import { profitsApi } from './profits-api.ts';

/** A link to the statement of a month, YYYY-MM. */
export function StatementLink({ month }: { month: string }) {
  const fileName = `statement_${month}.pdf`;
  const pdf = useMutation({
    mutationFn: () => profitsApi.profitStatement({ query: { month } }),
    onSuccess: (file) => saveFile(fileName, 'application/pdf', file as Blob),
    onError: (error) => showToast('error', 'Failed to download PDF', reasonOf(error)),
  });
  return (
    <PdfLink
      label="Download Statement"
      href={`${basePath}/profits/statement?month=${month}`}
      fileName={fileName}
      isDownloading={pdf.isPending}
      onDownload={() => pdf.mutate()}
    />
  );
}
