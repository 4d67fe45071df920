import './bots.css';
import { botModes, botStatuses } from '#contract/fields.ts';
import { TextInput } from '@mantine/core';
import { IconRefresh, IconSearch } from '@tabler/icons-react';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useUser } from '../session/use-session.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { BotCards } from './bot-cards.tsx';
import { BotDialog } from './bot-dialog.tsx';
import type { BotFilter } from './bot-list.ts';
import { allBots, matchesFilter, sortBots } from './bot-list.ts';
import type { BotChange } from './use-bots.ts';
import { useBots } from './use-bots.ts';

const chooseTab = () => undefined; // there is one tab

/** The Bots tab. */
export function BotsScreen() {
  return <TabStrip label="Bots" tabs={[{ value: 'list', label: 'Bots', panel: <BotList /> }]} value="list" onChange={chooseTab} />;
}

function BotList() {
  const user = useUser();
  const { bots, exchanges, error, isLoading, isBusy, reload, apply } = useBots();
  const [filter, setFilter] = useState(allBots);
  const [selectedBotId, setSelectedBotId] = useState<string | null>(null);
  const [asked, setAsked] = useState<BotChange | null>(null);
  const shownFilter = useDeferredValue(filter);
  const shown = useMemo(() => sortBots((bots ?? []).filter((bot) => matchesFilter(bot, shownFilter))), [bots, shownFilter]);
  const names = useMemo(() => new Map(exchanges.map(({ id, name }) => [id, name])), [exchanges]);
  const exchangeName = useCallback((id: string) => names.get(id) ?? id, [names]);

  const confirm = async () => {
    if (asked === null) return;
    await apply(asked).finally(() => setAsked(null));
  };

  return (
    <div className="bots">
      <Filters filter={filter} exchanges={exchanges} isLoading={isLoading} onChange={setFilter} onRefresh={() => void reload()} />
      {error === null ? null : <Banner tone="error" text={error} />}
      {bots === undefined && isLoading ? (
        <div className="bot-cards">
          {[1, 2, 3].map((card) => (
            <div key={card} className="fl-panel">
              <RowsSkeleton rows={5} />
            </div>
          ))}
        </div>
      ) : (
        <BotCards
          bots={shown}
          exchangeName={exchangeName}
          user={user}
          selectedBotId={selectedBotId}
          onSelect={setSelectedBotId}
          onChange={setAsked}
        />
      )}
      <BotDialog
        change={asked}
        exchangeName={exchangeName}
        isBusy={isBusy}
        onConfirm={() => void confirm()}
        onCancel={() => setAsked(null)}
      />
    </div>
  );
}

interface FiltersProps {
  filter: BotFilter;
  exchanges: readonly { id: string; name: string }[];
  isLoading: boolean;
  onChange: (filter: BotFilter) => void;
  onRefresh: () => void;
}

function Filters({ filter, exchanges, isLoading, onChange, onRefresh }: FiltersProps) {
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
        options={[{ value: '', label: 'All Statuses' }, ...botStatuses.map((value) => ({ value: value as string, label: value }))]}
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
      <Button variant="secondary" icon={<IconRefresh size={14} aria-hidden />} loading={isLoading} onClick={onRefresh}>
        Refresh
      </Button>
    </div>
  );
}
