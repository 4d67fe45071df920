import { TextInput } from '@mantine/core';
import { texts } from '#contract/errors.ts';
import { tradeModes } from '#contract/fields.ts';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { DayField } from '../ui/day-field.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import type { InvestorFilter } from './investor-rows.ts';
import { firstFilter, issueOf } from './investor-rows.ts';

const modes = [{ value: '', label: 'all modes' }, ...tradeModes.map((mode) => ({ value: mode, label: mode }))] as const;

/** See `InvestorFilters`. */
export interface InvestorFiltersProps {
  isAdmin: boolean;
  isLoading: boolean;
  onLoad: (filter: InvestorFilter) => void;
}

/** What the summary is to be about; 'Load' asks for it. */
export function InvestorFilters({ isAdmin, isLoading, onLoad }: InvestorFiltersProps) {
  const [filter, setFilter] = useState(firstFilter);
  const [issue, setIssue] = useState<ReturnType<typeof issueOf>>(null);
  const change = (changes: Partial<InvestorFilter>) => {
    setFilter({ ...filter, ...changes });
    setIssue(null);
  };
  return (
    <form
      className="fund-filters"
      aria-label="Filters"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // A day field that shows what is not a day has kept the day before it in the filter, and now says so.
        if (!event.currentTarget.checkValidity()) return;
        const found = issueOf(filter);
        setIssue(found);
        if (found === null) onLoad(filter);
      }}
    >
      <DayField
        label="Start Date"
        value={filter.start}
        error={issue?.field === 'start' ? issue.text : null}
        onChange={(start) => change({ start })}
      />
      <DayField label="End Date" value={filter.end} onChange={(end) => change({ end })} />
      <TextInput
        className="fund-trader"
        label="Trader Id"
        placeholder="all traders"
        value={filter.traderId}
        disabled={!isAdmin}
        title={isAdmin ? '' : texts.adminRequired}
        error={issue?.field === 'traderId' ? issue.text : null}
        onChange={({ currentTarget }) => change({ traderId: currentTarget.value.trim() })}
      />
      <SelectBox<InvestorFilter['mode']> label="Mode" options={modes} value={filter.mode} onChange={(mode) => change({ mode })} />
      <Button type="submit" loading={isLoading}>
        Load
      </Button>
    </form>
  );
}
