import { useEffect, useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { reasonOf } from '../session/login-flow.ts';
import { saveFile } from '../ui/save-file.ts';
import { showToast } from '../ui/toast.ts';
import { auditCsv, auditFileName } from './audit-csv.ts';
import type { AuditFilter, AuditQuery } from './audit-filter.ts';
import { auditQuery } from './audit-filter.ts';
import type { AuditRecord } from './record-text.ts';

/** An export that is under way. */
export interface ExportProgress {
  loaded: number;
  total: number | null; // null before the first page
}

/** The export of records and what can be done with it. */
export interface AuditExport {
  progress: ExportProgress | null; // null while none is under way
  failure: { detail: string | null } | null; // of the newest export
  start: (filter: AuditFilter) => Promise<void>;
  cancel: () => void;
}

/** Loads all records that a filter lets through, page by page, and saves them as a CSV file. It ends with the screen. */
export function useAuditExport(): AuditExport {
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const [failure, setFailure] = useState<AuditExport['failure']>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (filter: AuditFilter) => {
    const now = Date.now();
    const controller = new AbortController();
    running.current = controller;
    setFailure(null);
    setProgress({ loaded: 0, total: null });
    try {
      const records = await loadAll(auditQuery(filter, now), controller.signal, setProgress);
      saveFile(auditFileName(now), 'text/csv;charset=utf-8', auditCsv(records));
      showToast('success', `Exported ${records.length} ${records.length === 1 ? 'record' : 'records'}.`);
    } catch (error) {
      if (!controller.signal.aborted) setFailure({ detail: reasonOf(error) });
    }
    if (running.current === controller) setProgress(null);
  };
  const cancel = () => {
    running.current?.abort();
    running.current = null;
    setProgress(null);
  };
  return { progress, failure, start, cancel };
}

async function loadAll(
  query: AuditQuery,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<readonly AuditRecord[]> {
  const all: AuditRecord[] = [];
  let before: string | undefined;
  let total: number | null = null;
  for (;;) {
    const page = await api.listAudit({ query: { ...query, before } }, { signal });
    signal.throwIfAborted();
    total ??= page.total; // records that are written meanwhile are not part of it
    all.push(...page.records);
    onProgress({ loaded: all.length, total });
    if (page.next === null) return all;
    before = page.next;
  }
}
