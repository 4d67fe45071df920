import { botModes, botStatuses } from '#contract/fields.ts';
import { TextInput } from '@mantine/core';
import { IconPlus, IconRefresh, IconSearch } from '@tabler/icons-react';
import { changeAddress } from '../address/address.ts';
import { Button } from '../ui/button.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import type { BotFilter } from './bot-list.ts';
import { archived } from './bot-list.ts';

/** See `BotFilters`. */
export interface BotFiltersProps {
  filter: BotFilter;
  exchanges: readonly { id: string; name: string }[];
  tags: readonly string[]; // of the bots; without any there is nothing to choose
  isLoading: boolean;
  mayCreate: boolean; // offers a new bot; where there is none, the empty list does
  onChange: (filter: BotFilter) => void;
  onRefresh: () => void;
}

/** The search box, the filters, the button that reloads the list, and the way to a new bot. */
export function BotFilters({ filter, exchanges, tags, isLoading, mayCreate, onChange, onRefresh }: BotFiltersProps) {
  return (
    <div className="bot-filters">
      <TextInput
        aria-label="Search bots"
        placeholder="Search by name or nickname"
        leftSection={<IconSearch size={14} aria-hidden />}
        value={filter.search}
        onChange={(event) => onChange({ ...filter, search: event.currentTarget.value })}
      />
      <SelectBox
        label="Status"
        hideLabel
        options={[
          { value: '', label: 'All Statuses' },
          ...[...botStatuses, archived].map((value): { value: string; label: string } => ({ value, label: value })),
        ]}
        value={filter.status}
        onChange={(status) => onChange({ ...filter, status })}
      />
      <SelectBox
        label="Mode"
        hideLabel
        options={[{ value: '', label: 'All Modes' }, ...botModes.map((value) => ({ value: value as string, label: value }))]}
        value={filter.mode}
        onChange={(mode) => onChange({ ...filter, mode })}
      />
      <SelectBox
        label="Exchange"
        hideLabel
        options={[{ value: '', label: 'All Exchanges' }, ...exchanges.map(({ id, name }) => ({ value: id, label: name }))]}
        value={filter.exchange}
        onChange={(exchange) => onChange({ ...filter, exchange })}
      />
      {tags.length === 0 && filter.tag === '' ? null : (
        <SelectBox
          label="Tag"
          hideLabel
          options={[{ value: '', label: 'All Tags' }, ...tags.map((value) => ({ value, label: value }))]}
          value={filter.tag}
          onChange={(tag) => onChange({ ...filter, tag })}
        />
      )}
      <Button variant="secondary" icon={<IconRefresh size={14} aria-hidden />} loading={isLoading} onClick={onRefresh}>
        Refresh
      </Button>
      {mayCreate ? (
        <Button icon={<IconPlus size={14} aria-hidden />} onClick={() => changeAddress({ view: 'configure', bot: null, pair: null })}>
          New Bot
        </Button>
      ) : null}
    </div>
  );
}
