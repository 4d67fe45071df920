import './profits.css';
import { SegmentedControl } from '@mantine/core';
import { IconCalendarStats, IconRefresh } from '@tabler/icons-react';
import { useMemo } from 'react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { useUser } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { ModeTag } from '../ui/mode-tag.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { useNow } from '../ui/use-now.ts';
import { Calendar } from './calendar.tsx';
import { rangeFigures } from './figure-words.ts';
import { GroupTable } from './group-table.tsx';
import type { Grouping } from './ledgers.ts';
import { groupings, modesOf, shownLedger } from './ledgers.ts';
import { MonthPanel } from './month-panel.tsx';
import { issueOf, rangeOf, rangeText, ranges, utcDay } from './profit-range.ts';
import { RangePicker } from './range-picker.tsx';
import { RunningLine } from './running-line.tsx';
import { useProfits } from './use-profits.ts';

/** What the closed trades of the bots that the person sees came to, in any range, by whatever they are grouped. */
export function ProfitsPage() {
  const isInvestor = useUser()?.role === 'investor'; // to whom the month of the fund comes first
  const now = useNow(60_000);
  const today = utcDay(now);
  const name = known(ranges, useAddressValue('period')) ?? 'this-month';
  const grouping = known(groupings, useAddressValue('by')) ?? 'bot';
  const [from, to] = [dayIn(useAddressValue('from')), dayIn(useAddressValue('to'))];
  const [mode, currency] = [useAddressValue('mode'), useAddressValue('money')];
  const range = useMemo(() => rangeOf(name, { from, to }, today), [name, from, to, today]);
  const isRange = issueOf(range) === null;
  const state = useProfits(isRange ? range : null, grouping);
  const { profits, failure } = state;
  const ledger = shownLedger(profits?.ledgers ?? [], mode, currency);
  const modes = modesOf(profits?.ledgers ?? []);
  const currencies = (profits?.ledgers ?? []).filter((each) => each.mode === ledger?.mode).map((each) => each.currency);
  const isLate = state.isOfOther || !isRange;
  return (
    <div className="profits">
      <h1 className="fl-visually-hidden">Profits</h1>
      {isInvestor ? <MonthPanel today={today} /> : null}
      <div className="fl-panel profits-tools">
        <RangePicker
          name={name}
          own={{ from, to }}
          onName={(next) =>
            changeAddress({ period: next, ...(next === 'own' ? { from: range.from, to: range.to } : { from: null, to: null }) })
          }
          onOwn={(own) => changeAddress({ period: 'own', ...own }, 'replace')}
        />
        <span className="profits-dim profits-range">{isRange ? `${rangeText(range, today)}, UTC days` : 'UTC days'}</span>
        {currencies.length < 2 ? null : (
          <SelectBox
            label="Currency"
            options={currencies}
            value={ledger?.currency ?? null}
            onChange={(money) => changeAddress({ money })}
          />
        )}
        {modes.length < 2 ? (
          ledger === null ? null : (
            <span className="profits-one-mode">
              <ModeTag mode={ledger.mode} />
            </span>
          )
        ) : (
          <SegmentedControl
            aria-label="Mode"
            value={ledger?.mode ?? ''}
            data={modes.map((value) => ({ value, label: value.toUpperCase() }))}
            onChange={(next) => changeAddress({ mode: next, money: null })}
          />
        )}
        <Button variant="secondary" icon={<IconRefresh size={14} aria-hidden />} loading={state.isLoading} onClick={state.refresh}>
          Refresh
        </Button>
      </div>
      {failure === null ? null : (
        <FailedLoad text="Failed to load profits" detail={failure.detail} isLoading={state.isLoading} onRetry={state.refresh} />
      )}
      {ledger === null ? (
        profits === undefined && failure !== null ? null : (
          <div className="fl-panel">
            {profits === undefined && isRange ? (
              <LoadingRows label="Loading the profits" rows={8} height={38} />
            ) : (
              <EmptyState
                icon={<IconCalendarStats size={22} />}
                text="No trade was closed in this range"
                hint={
                  name === 'all'
                    ? 'Profits appear with the first trade that a bot closes.'
                    : 'Choose another range; All has every trade there is.'
                }
                minHeight={320}
              />
            )}
          </div>
        )
      ) : (
        <div className="profits" data-late={isLate || undefined}>
          <div className="fl-panel">
            <FigureBar label="Figures of the range" figures={rangeFigures(ledger)} />
          </div>
          <div className="profits-columns">
            <RunningLine ledger={ledger} range={range} now={now} />
            <Calendar key={`${range.from} ${range.to}`} ledger={ledger} range={range} today={today} />
          </div>
          <GroupTable ledger={ledger} grouping={grouping} range={range} isLate={isLate} onGroup={(by: Grouping) => changeAddress({ by })} />
        </div>
      )}
      {isInvestor ? null : <MonthPanel today={today} />}
    </div>
  );
}

function known<Value extends string>(options: readonly { value: Value }[], wanted: string | null): Value | null {
  return options.find(({ value }) => value === wanted)?.value ?? null;
}

/** A day out of the address; what is none counts as not given. */
function dayIn(text: string | null): string | null {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}
