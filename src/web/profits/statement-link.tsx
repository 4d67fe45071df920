import { Loader } from '@mantine/core';
import { IconFileTypePdf } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { basePath } from '../api/send.ts';
import { reasonOf } from '../session/login-flow.ts';
import { saveFile } from '../ui/save-file.ts';
import { showToast } from '../ui/toast.ts';

/** A link to the statement of a month, YYYY-MM; a plain click fetches it by this page, which can say that it failed. */
export function StatementLink({ month }: { month: string }) {
  const name = `statement_${month}.pdf`;
  const pdf = useMutation({
    mutationFn: () => api.profitStatement({ query: { month } }),
    onSuccess: (file) => saveFile(name, 'application/pdf', file as Blob),
    onError: (error) => showToast('error', 'Failed to download PDF', reasonOf(error)),
  });
  return (
    <a
      className="profits-pdf"
      href={`${basePath}/profits/statement?month=${month}`}
      download={name}
      aria-busy={pdf.isPending}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        if (!pdf.isPending) pdf.mutate();
      }}
    >
      {pdf.isPending ? <Loader size={12} color="currentColor" aria-hidden /> : <IconFileTypePdf size={14} aria-hidden />}
      Download Statement
    </a>
  );
}
