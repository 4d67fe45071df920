import { Progress } from '@mantine/core';
import { Button } from '../ui/button.tsx';
import type { ExportProgress } from './use-audit-export.ts';

/** How far an export is, and the way to end it. */
export function ExportProgressLine({ progress, onCancel }: { progress: ExportProgress; onCancel: () => void }) {
  const { loaded, total } = progress;
  const text = total === null ? 'Exporting...' : `Exporting: ${loaded} of ${total} records`;
  const percent = total === null || total === 0 ? 0 : Math.min(100, Math.round((loaded / total) * 100));
  return (
    <div className="audit-export">
      <span className="fl-number" role="status">
        {text}
      </span>
      <Progress.Root size="sm" className="audit-export-bar">
        <Progress.Section value={percent} aria-label="Progress of the export" />
      </Progress.Root>
      <Button variant="secondary" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}
