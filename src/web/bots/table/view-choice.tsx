import { Checkbox, Popover } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconChecks, IconColumns3, IconLayoutGrid, IconTable } from '@tabler/icons-react';
import { Button } from '../../ui/button.tsx';
import { SelectBox } from '../../ui/select-box.tsx';
import type { ColumnKey, ListView } from './list-view.ts';
import { optionalColumns } from './list-view.ts';

/** See `ViewChoice`. */
export interface ViewChoiceProps {
  view: ListView;
  isAdmin: boolean; // sees whose a bot is
  mayChoose: boolean; // there are bots that several at once can be chosen of
  isChoosing: boolean;
  onChange: (changes: Partial<ListView>) => void;
  onChoosing: (isChoosing: boolean) => void;
}

const titles: Readonly<Record<ColumnKey, string>> = {
  status: 'Status',
  mode: 'Mode',
  exchange: 'Exchange',
  pairs: 'Pairs',
  strategy: 'Strategy',
  today: 'Today',
  pnl: 'Total PnL',
  open: 'Open Trades',
  unrealized: 'Unrealized',
  drawdown: 'Drawdown',
  last: 'Last Trade',
  tags: 'Tags',
  owner: 'Owner',
};

/** What the cards are sorted by, and which way; a table is sorted by its header. */
function CardSort({ view: { sortedBy }, isAdmin, onChange }: Pick<ViewChoiceProps, 'view' | 'isAdmin' | 'onChange'>) {
  const offered = optionalColumns.filter((key) => isAdmin || key !== 'owner');
  return (
    <>
      <SelectBox
        label="Sort by"
        hideLabel
        className="bot-sort"
        options={[
          { value: '', label: 'Active first' },
          { value: 'name', label: 'Name' },
          ...offered.map((key) => ({ value: key as string, label: titles[key] })),
        ]}
        value={sortedBy?.key ?? ''}
        onChange={(key) => onChange({ sortedBy: key === '' ? null : { key, descending: false } })}
      />
      {sortedBy === null ? null : (
        <Button
          variant="secondary"
          icon={sortedBy.descending ? <IconArrowDown size={14} aria-hidden /> : <IconArrowUp size={14} aria-hidden />}
          onClick={() => onChange({ sortedBy: { ...sortedBy, descending: !sortedBy.descending } })}
        >
          {sortedBy.descending ? 'Descending' : 'Ascending'}
        </Button>
      )}
    </>
  );
}

/** Whether the bots are cards or a table, which columns it has, and the way to choose several bots. */
export function ViewChoice({ view, isAdmin, mayChoose, isChoosing, onChange, onChoosing }: ViewChoiceProps) {
  const offered = optionalColumns.filter((key) => isAdmin || key !== 'owner');
  const toggle = (key: ColumnKey) =>
    onChange({
      columns: view.columns.includes(key)
        ? view.columns.filter((each) => each !== key)
        : optionalColumns.filter((each) => each === key || view.columns.includes(each)),
    });
  return (
    <div className="bot-view">
      {view.layout === 'cards' ? <CardSort view={view} isAdmin={isAdmin} onChange={onChange} /> : null}
      {view.layout === 'table' ? (
        <Popover position="bottom-end" transitionProps={{ duration: 0 }} trapFocus>
          <Popover.Target>
            <Button variant="secondary" icon={<IconColumns3 size={14} aria-hidden />}>
              Columns
            </Button>
          </Popover.Target>
          <Popover.Dropdown className="bot-columns" aria-label="Columns">
            {offered.map((key) => (
              <Checkbox key={key} size="xs" label={titles[key]} checked={view.columns.includes(key)} onChange={() => toggle(key)} />
            ))}
          </Popover.Dropdown>
        </Popover>
      ) : null}
      <Button
        variant="secondary"
        icon={view.layout === 'table' ? <IconLayoutGrid size={14} aria-hidden /> : <IconTable size={14} aria-hidden />}
        onClick={() => onChange({ layout: view.layout === 'table' ? 'cards' : 'table' })}
      >
        {view.layout === 'table' ? 'Show Cards' : 'Show Table'}
      </Button>
      {mayChoose ? (
        <Button
          variant="secondary"
          icon={<IconChecks size={14} aria-hidden />}
          aria-pressed={isChoosing}
          onClick={() => onChoosing(!isChoosing)}
        >
          {isChoosing ? 'Done' : 'Choose Several'}
        </Button>
      ) : null}
    </div>
  );
}
