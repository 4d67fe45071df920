import { TextInput } from '@mantine/core';
import { SelectBox } from '../ui/select-box.tsx';
import type { ProfitRange, RangeName } from './profit-range.ts';
import { issueOf, ranges } from './profit-range.ts';

/** See `RangePicker`. */
export interface RangePickerProps {
  name: RangeName;
  own: ProfitRange;
  onName: (name: RangeName) => void;
  onOwn: (own: ProfitRange) => void;
}

/** The choice of a range by its name, and the two days of one's own. */
export function RangePicker({ name, own, onName, onOwn }: RangePickerProps) {
  return (
    <>
      <SelectBox<RangeName> label="Range" options={ranges} value={name} onChange={onName} />
      {name === 'own' ? (
        <>
          <TextInput
            type="date"
            label="From"
            value={own.from ?? ''}
            error={issueOf(own)}
            onChange={({ currentTarget: { value } }) => onOwn({ ...own, from: value === '' ? null : value })}
          />
          <TextInput
            type="date"
            label="To"
            value={own.to ?? ''}
            onChange={({ currentTarget: { value } }) => onOwn({ ...own, to: value === '' ? null : value })}
          />
        </>
      ) : null}
    </>
  );
}
