import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { CardPanel } from '../ui/card-panel.tsx';
import { formatMoney, formatPnl, toneOf } from '../ui/money.ts';
import { daySentence, shortPnl } from './figure-words.ts';
import type { Ledger } from './ledgers.ts';
import type { CalendarDay } from './month-of-days.ts';
import { dayByKey, monthOfDays } from './month-of-days.ts';
import type { ProfitRange } from './profit-range.ts';
import { monthAfter } from './profit-range.ts';

/** See `Calendar`. */
export interface CalendarProps {
  ledger: Ledger;
  range: ProfitRange;
  today: string;
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** The days of a range, a month at a time: each with its profit in colour, sign and figures. Arrow keys go from day to day. */
export function Calendar({ ledger, range, today }: CalendarProps) {
  const { days, currency } = ledger;
  const bounds = { first: (range.from ?? days[0]?.day ?? today).slice(0, 7), last: endOf(range, days, today).slice(0, 7) };
  const [wanted, setWanted] = useState<string | null>(null); // a day
  const day =
    wanted === null || wanted.slice(0, 7) < bounds.first || wanted.slice(0, 7) > bounds.last ? startOf(bounds.last, days, today) : wanted;
  const month = day.slice(0, 7);
  const weeks = useMemo(() => monthOfDays(month, days), [month, days]);
  const grid = useRef<HTMLTableElement>(null);
  const byKeyboard = useRef(false);
  useEffect(() => {
    if (byKeyboard.current) grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
    byKeyboard.current = false;
  }, [day]);
  const go = (event: KeyboardEvent) => {
    const next = dayByKey(day, event.key);
    if (next === null) return;
    event.preventDefault();
    if (next.slice(0, 7) < bounds.first || next.slice(0, 7) > bounds.last) return;
    byKeyboard.current = true;
    setWanted(next);
  };
  const turn = (count: number) => setWanted(`${monthAfter(month, count)}-01`);
  const chosen = weeks.flat().find((each) => each?.day === day) ?? null;
  return (
    <CardPanel
      title="Calendar"
      aside={
        <span className="profits-month">
          <ActionIcon variant="default" size={30} aria-label="Previous month" disabled={month <= bounds.first} onClick={() => turn(-1)}>
            <IconChevronLeft size={15} aria-hidden />
          </ActionIcon>
          <span className="fl-number" aria-live="polite">
            {month}
          </span>
          <ActionIcon variant="default" size={30} aria-label="Next month" disabled={month >= bounds.last} onClick={() => turn(1)}>
            <IconChevronRight size={15} aria-hidden />
          </ActionIcon>
        </span>
      }
    >
      <table ref={grid} className="profits-calendar" role="grid" aria-label={`Profit by day, ${month}`} onKeyDown={go}>
        <thead>
          <tr>
            {weekdays.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week, place) => (
            <tr key={week.find((each) => each !== null)?.day ?? place}>
              {week.map((each, weekday) =>
                each === null ? (
                  <td key={weekdays[weekday]} />
                ) : (
                  <DayCell
                    key={each.day}
                    of={each}
                    currency={currency}
                    isChosen={each.day === day}
                    isOutside={isOutside(each.day, range, today)}
                    onChoose={() => setWanted(each.day)}
                  />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="profits-day fl-number" aria-live="polite">
        {chosen === null ? null : daySentence(chosen, currency, isOutside(chosen.day, range, today))}
      </p>
    </CardPanel>
  );
}

interface DayCellProps {
  of: CalendarDay;
  currency: string;
  isChosen: boolean;
  isOutside: boolean; // of the range, or to come
  onChoose: () => void;
}

function DayCell({ of: { day, sums, strength }, currency, isChosen, isOutside: outside, onChoose }: DayCellProps) {
  const amount = Number(sums?.profit ?? 0);
  const tone = sums === null ? 'none' : toneOf(amount, currency);
  const spoken =
    sums === null
      ? `${day}: ${outside ? 'not in the range' : 'no trade'}`
      : `${day}: ${formatPnl(amount, currency)}, ${sums.trades} ${sums.trades === 1 ? 'trade' : 'trades'}, fees ${formatMoney(Number(sums.fees), currency)}`;
  return (
    <td aria-selected={isChosen}>
      <button
        type="button"
        data-day={day}
        data-tone={tone}
        data-outside={outside || undefined}
        style={{ '--profits-strength': `${Math.round(12 + strength * 43)}%` } as React.CSSProperties}
        tabIndex={isChosen ? 0 : -1}
        onClick={onChoose}
      >
        <span aria-hidden>{Number(day.slice(8))}</span>
        {sums === null ? null : (
          <b aria-hidden className="fl-number">
            {shortPnl(amount, currency)}
          </b>
        )}
        <span className="fl-visually-hidden">{spoken}</span>
      </button>
    </td>
  );
}

function isOutside(day: string, { from, to }: ProfitRange, today: string): boolean {
  return (from !== null && day < from) || (to !== null && day > to) || day > today;
}

/** The last day that the calendar reaches: that of the range, but not after today, unless there are trades. */
function endOf({ to }: ProfitRange, days: Ledger['days'], today: string): string {
  const end = to === null || to > today ? today : to;
  const newest = days.at(-1)?.day ?? end;
  return newest > end ? newest : end;
}

/** The day that is chosen in a month at first: the newest with a trade, else today, else the first. */
function startOf(month: string, days: Ledger['days'], today: string): string {
  const newest = days.findLast((each) => each.day.startsWith(month))?.day;
  return newest ?? (today.startsWith(month) ? today : `${month}-01`);
}
