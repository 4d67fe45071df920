import { auditResults } from '#contract/audit.ts';
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { SelectBox } from '../ui/select-box.tsx';
import { knownActions } from './action-text.ts';
import type { AuditFilter } from './audit-filter.ts';
import { periods } from './audit-filter.ts';
import { resultText } from './record-text.ts';

/** How long typing pauses before the search is sent, in ms. */
const pauseMs = 300;

const actionOptions = [{ value: '', label: 'All Actions' }, ...knownActions.toSorted((a, b) => (a.label < b.label ? -1 : 1))];

const resultOptions = [{ value: '' as const, label: 'All Results' }, ...auditResults.map((value) => ({ value, label: resultText(value) }))];

/** What chooses the records: a search, an action, a result and a period. */
export function AuditFilters({ filter, onChange }: { filter: AuditFilter; onChange: (filter: AuditFilter) => void }) {
  const [search, setSearch] = useState(filter.search);
  useEffect(() => {
    if (search === filter.search) return undefined;
    const timer = setTimeout(() => onChange({ ...filter, search }), pauseMs);
    return () => clearTimeout(timer);
  }, [search, filter, onChange]);
  return (
    <>
      <TextInput
        className="audit-search"
        type="search"
        aria-label="Search records"
        placeholder="Search who, what or target"
        leftSection={<IconSearch size={14} aria-hidden />}
        maxLength={200}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <SelectBox
        className="audit-action-filter"
        label="Action"
        hideLabel
        searchable
        options={actionOptions}
        value={filter.action}
        onChange={(action) => onChange({ ...filter, action })}
      />
      <SelectBox
        className="audit-filter"
        label="Result"
        hideLabel
        options={resultOptions}
        value={filter.result}
        onChange={(result) => onChange({ ...filter, result })}
      />
      <SelectBox
        className="audit-filter"
        label="Period"
        hideLabel
        options={periods}
        value={filter.period}
        onChange={(period) => onChange({ ...filter, period })}
      />
    </>
  );
}
