import { Loader } from '@mantine/core';
import { IconFileTypePdf } from '@tabler/icons-react';
import { basePath } from '../api/send.ts';

/** See `PdfLink`. */
export interface PdfLinkProps {
  day: string;
  isDownloading: boolean;
  onDownload: () => void;
}

/**
 * A link to the PDF file of a day. A plain click fetches it by this page, which renews the session and can say that it
 * failed; the address serves those who copy it or open it in another tab.
 */
export function PdfLink({ day, isDownloading, onDownload }: PdfLinkProps) {
  return (
    <a
      className="reports-pdf"
      href={`${basePath}/reports/${day}/pdf`}
      download={`report_${day}.pdf`}
      aria-busy={isDownloading}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        if (!isDownloading) onDownload();
      }}
    >
      {isDownloading ? <Loader size={12} color="currentColor" aria-hidden /> : <IconFileTypePdf size={14} aria-hidden />}
      Download PDF
    </a>
  );
}
