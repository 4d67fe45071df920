import { Loader } from '@mantine/core';
import { IconFileTypePdf } from '@tabler/icons-react';

/** See `PdfLink`. */
export interface PdfLinkProps {
  label: string;
  /** The address of the file, for those who copy it or open it in another tab. */
  href: string;
  fileName: string;
  isDownloading: boolean;
  onDownload: () => void;
}

/** A link to a PDF file. A plain click calls `onDownload`: this page renews the session and can say that it failed. */
export function PdfLink({ label, href, fileName, isDownloading, onDownload }: PdfLinkProps) {
  return (
    <a
      className="fl-pdf"
      href={href}
      download={fileName}
      aria-busy={isDownloading}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        if (!isDownloading) onDownload();
      }}
    >
      {isDownloading ? <Loader size={12} color="currentColor" aria-hidden /> : <IconFileTypePdf size={14} aria-hidden />}
      {label}
    </a>
  );
}
