import './profits.css';
import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useUser } from '../session/use-session.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { FundMonth } from './fund-month.tsx';
import { monthAfter } from './profit-range.ts';
import { StatementLink } from './statement-link.tsx';

/** One month: its statement as a file, and for those who see all bots what the fund had, made and has. */
export function MonthPanel({ today }: { today: string }) {
  const role = useUser()?.role;
  const current = today.slice(0, 7);
  const [month, setMonth] = useState(current);
  const isFund = role !== undefined && role !== 'trader';
  return (
    <CardPanel
      title={isFund ? 'Month of the Fund' : 'Statement of a Month'}
      aside={
        <span className="profits-month">
          <ActionIcon variant="default" size={30} aria-label="Month before" onClick={() => setMonth(monthAfter(month, -1))}>
            <IconChevronLeft size={15} aria-hidden />
          </ActionIcon>
          <span className="fl-number">{month === current ? `${month}, still running` : month}</span>
          <ActionIcon
            variant="default"
            size={30}
            aria-label="Month after"
            disabled={month >= current}
            onClick={() => setMonth(monthAfter(month, 1))}
          >
            <IconChevronRight size={15} aria-hidden />
          </ActionIcon>
          <StatementLink month={month} />
        </span>
      }
    >
      {isFund ? (
        <FundMonth month={month} />
      ) : (
        <p className="profits-dim">
          A PDF with the sums by bot and pair, fees, funding, the trades of the month and what was open at its end.
        </p>
      )}
    </CardPanel>
  );
}
