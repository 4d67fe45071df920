import { roles } from '#contract/fields.ts';
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { SelectBox } from '../ui/select-box.tsx';
import type { UserFilter } from './user-list.ts';

/** See `UserFilters`. */
export interface UserFiltersProps {
  count: string | null; // 'X of Y users'; null while not known
  filter: UserFilter;
  onChange: (filter: UserFilter) => void;
}

/** The counter, the search box and the role filter. */
export function UserFilters({ count, filter, onChange }: UserFiltersProps) {
  return (
    <>
      <span className="fl-number" role="status">
        {count}
      </span>
      <TextInput
        className="users-search"
        aria-label="Search users"
        placeholder="Search by name or email..."
        leftSection={<IconSearch size={14} aria-hidden />}
        value={filter.search}
        onChange={(event) => onChange({ ...filter, search: event.currentTarget.value })}
      />
      <SelectBox
        className="users-role-filter"
        label="Role"
        hideLabel
        options={[{ value: '', label: 'all' }, ...roles.map((value) => ({ value: value as string, label: value }))]}
        value={filter.role}
        onChange={(role) => onChange({ ...filter, role })}
      />
    </>
  );
}
