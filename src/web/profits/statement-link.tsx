import { useMutation } from '@tanstack/react-query';
import { basePath } from '../api/send.ts';
import { reasonOf } from '../session/login-flow.ts';
import { PdfLink } from '../ui/pdf-link.tsx';
import { saveFile } from '../ui/save-file.ts';
import { showToast } from '../ui/toast.ts';
import { profitsApi } from './profits-api.ts';

/** A link to the statement of a month, YYYY-MM. */
export function StatementLink({ month }: { month: string }) {
  const pdf = useMutation({
    mutationFn: (of: string) => profitsApi.profitStatement({ query: { month: of } }), // another month may be chosen before it comes
    onSuccess: (file, of) => saveFile(fileNameOf(of), 'application/pdf', file as Blob),
    onError: (error) => showToast('error', 'Failed to download PDF', reasonOf(error)),
  });
  return (
    <PdfLink
      label="Download Statement"
      href={`${basePath}/profits/statement?month=${month}`}
      fileName={fileNameOf(month)}
      isDownloading={pdf.isPending}
      onDownload={() => pdf.mutate(month)}
    />
  );
}

function fileNameOf(month: string): string {
  return `statement_${month}.pdf`;
}
