import './fleet.css';
import { SegmentedControl, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { messageOf } from '../api/api-error.ts';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import type { ModeName } from '../ui/venue.ts';
import { modeName } from '../ui/venue.ts';
import { FirstSteps } from './first-steps.tsx';
import { FleetHead } from './fleet-head.tsx';
import { foldedRows, foundBots, hiddenText, rowsShown } from './fleet-rows.ts';
import { FleetTable } from './fleet-table.tsx';
import { useFleetSort } from './use-fleet-sort.ts';
import type { FleetBot } from '../live/joined-fleet.ts';
import { useFleet, useServerNow } from '../live/use-fleet.ts';

type ModeFilter = 'all' | ModeName;

/** The fleet at a glance, above the bot that is watched: a row for every bot the person may see. Without any, the first steps. */
export function FleetStrip({ onFirstBot }: { onFirstBot: () => void }) {
  const fleet = useFleet();
  const now = useServerNow(fleet);
  const [mode, setMode] = useState<ModeFilter>('all');
  const [showsAll, setShowsAll] = useState(false);
  const selectedId = useAddressValue('bot');
  const { bots, error } = fleet;
  const [search, setSearch] = useState('');
  const { sort, sortedIds, onSort } = useFleetSort(bots);
  const ofMode = useMemo(() => bots?.filter((bot) => mode === 'all' || modeOf(bot) === mode) ?? [], [bots, mode]);
  const found = useMemo(() => foundBots(ofMode, search), [ofMode, search]);

  if (bots === undefined) {
    return (
      <CardPanel title="Fleet" flush>
        {error === null ? <RowsSkeleton rows={4} height={22} /> : <EmptyState text="Failed to load the fleet" hint={messageOf(error)} />}
      </CardPanel>
    );
  }
  if (bots.length === 0) return <FirstSteps onFirstBot={onFirstBot} />;
  const { shown, hidden } = foldedRows(found, showsAll, now, selectedId, sortedIds);
  const table = (
    <FleetTable bots={shown} now={now} selectedId={selectedId} onSelect={select} isLong={showsAll} sort={sort} onSort={onSort} />
  );
  if (bots.length === 1) {
    return (
      <section className="fl-panel fleet" aria-label="Fleet">
        {table}
      </section>
    );
  }
  return (
    <section className="fl-panel fleet" aria-label="Fleet">
      <FleetHead bots={bots}>
        {bots.length > rowsShown ? (
          <TextInput
            size="xs"
            className="fleet-search"
            aria-label="Search bots"
            placeholder="Name or pair"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        ) : null}
        <SegmentedControl size="xs" aria-label="Mode" value={mode} onChange={setMode} data={modesOf(bots)} />
      </FleetHead>
      {found.length === 0 ? <EmptyState text={ofMode.length === 0 ? `No ${mode} bots` : 'No bot matches'} minHeight={60} /> : table}
      <footer className="fleet-foot">
        <span>{hiddenText(hidden)}</span>
        {found.length > rowsShown ? (
          <Button variant="ghost" size="small" onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Show fewer' : `Show all ${found.length}`}
          </Button>
        ) : null}
        <span className="fleet-apart">Live, testnet and paper money are never added together</span>
      </footer>
    </section>
  );
}

/** A bot may be chosen by anybody who sees it; the pair that its row speaks of is chosen with it, else its first. */
function select(botId: string, pair: string | null): void {
  changeAddress({ bot: botId, pair });
}

const modeOf = (bot: FleetBot): ModeName => modeName(bot.mode, bot.exchange_id);

/** All, live and paper are always there; testnet where a bot trades at a test network. */
function modesOf(bots: readonly FleetBot[]): { value: ModeFilter; label: string }[] {
  const count = (mode: ModeName): number => bots.filter((bot) => modeOf(bot) === mode).length;
  const testnet = count('testnet');
  return [
    { value: 'all', label: `All ${bots.length}` },
    { value: 'live', label: `Live ${count('live')}` },
    ...(testnet === 0 ? [] : [{ value: 'testnet' as const, label: `Testnet ${testnet}` }]),
    { value: 'paper', label: `Paper ${count('paper')}` },
  ];
}
