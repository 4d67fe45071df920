import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CallReply } from '#contract/client.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import type { Figure } from '../ui/figure-bar.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { ModeTag } from '../ui/mode-tag.tsx';
import { formatMoney, formatPnl, toneOf } from '../ui/money.ts';
import { formatSignedRatio, notAvailable } from '../ui/ratio.ts';
import { LoadingRows } from '../ui/skeleton.tsx';
import { wonText } from './figure-words.ts';
import { profitsApi } from './profits-api.ts';

type FundLedger = CallReply<'fundMonth'>['ledgers'][number];

/** What all bots had when a month began, what it brought, and what they had at its end; by mode and currency. */
export function FundMonth({ month }: { month: string }) {
  const query = useQuery({
    queryKey: ['fund-month', month],
    queryFn: ({ signal }) => profitsApi.fundMonth({ query: { month } }, { signal }),
    placeholderData: keepPreviousData,
    meta: { what: 'month of the fund' },
  });
  const ledgers = heldData(query)?.ledgers;
  if (query.isError && ledgers === undefined) {
    return (
      <FailedLoad
        text="Failed to load the month of the fund"
        detail={reasonOf(query.error)}
        isLoading={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (ledgers === undefined) return <LoadingRows label="Loading the month of the fund" rows={2} height={38} />;
  if (ledgers.length === 0) return <EmptyState text="No bot had traded by the end of this month." minHeight={80} />;
  return (
    <div className="profits-fund" data-late={query.isPlaceholderData || undefined}>
      {ledgers.map((ledger) => (
        <section key={`${ledger.mode} ${ledger.currency}`} aria-label={`${ledger.mode} ${ledger.currency}`}>
          <p>
            <ModeTag mode={ledger.mode} /> {ledger.currency}
          </p>
          <FigureBar label={`Month of the fund, ${ledger.mode} ${ledger.currency}`} figures={figuresOf(ledger)} />
        </section>
      ))}
      <p className="profits-dim">
        Start: what the bots that had traded in the mode were given and had earned. Return: the change by start and what bots were given in
        the month; what others were left less is not taken from it. Open trades are not in it.
      </p>
    </div>
  );
}

function figuresOf(ledger: FundLedger): Figure[] {
  const { currency, returned } = ledger;
  const money = (name: string, amount: string): Figure => ({ name, value: formatMoney(Number(amount), currency) });
  const change = Number(ledger.profit);
  const tone = toneOf(change, currency);
  return [
    { name: 'Return', value: returned === null ? notAvailable : formatSignedRatio(returned), tone, isLead: true },
    { name: 'Change', value: formatPnl(change, currency), tone, isLead: true },
    money('Start', ledger.start),
    money('Added', ledger.added),
    money('End', ledger.end),
    money('Fees', ledger.fees),
    { name: 'Trades', value: ledger.trades },
    { name: 'Won', value: wonText(ledger) },
  ];
}
