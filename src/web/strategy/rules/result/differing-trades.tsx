import { IconEqualNot, IconMinus, IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useDeferredValue, useMemo } from 'react';
import { CardPanel } from '../../../ui/card-panel.tsx';
import type { DataColumn } from '../../../ui/data-table.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { formatMoment } from '../../../ui/moment.ts';
import { formatPnl, toneOf } from '../../../ui/money.ts';
import { chooseDifference, differenceName, useReplayed, useReplayStore } from '../replay/replay-store.ts';
import type { TradeDifference } from '../replay/trade-differences.ts';

/** The height of the list, in px; beyond it the rows scroll. */
const listHeight = 172;

/** The trades that the draft adds, removes, or ends otherwise; the sums below make the difference of the profits. */
export function DifferingTrades() {
  const store = useReplayStore();
  // The list is drawn when the curves have been: there may be hundreds.
  const differences = useDeferredValue(useReplayed((replay) => replay.differences));
  const currency = useReplayed((replay) => replay.draft?.currency ?? 'USDT');
  const chosen = useReplayed((replay) => replay.chosen);
  const columns = useMemo(() => columnsIn(currency), [currency]);
  if (differences === null) return null;
  const { list, all, added, removed, changed, difference } = differences;
  return (
    <CardPanel title="Trades That Differ" aside={<span className="fl-number">{`${list.length} of ${all}`}</span>} flush>
      {list.length === 0 ? (
        <p className="rules-none">The same trades as the saved version, with the same results.</p>
      ) : (
        <>
          <DataTable
            label="Trades that differ"
            columns={columns}
            rows={list}
            rowKey={differenceName}
            long
            maxHeight={listHeight}
            selectedKey={chosen}
            onSelect={(each) => chooseDifference(store, each)}
          />
          <table className="rules-table rules-sums" aria-label="What the difference is made of">
            <tbody>
              <Sum name={`${added.count} added`} amount={added.profit} currency={currency} />
              <Sum
                name={`${removed.count} removed, were ${formatPnl(removed.profit, currency)}`}
                amount={-removed.profit}
                currency={currency}
              />
              <Sum name={`${changed.count} in both, other result`} amount={changed.difference} currency={currency} />
              <Sum name={<b>Difference</b>} amount={difference} currency={currency} />
            </tbody>
          </table>
        </>
      )}
    </CardPanel>
  );
}

const kinds = {
  added: ['added', <IconPlus key="i" size={12} aria-hidden />],
  removed: ['removed', <IconMinus key="i" size={12} aria-hidden />],
  changed: ['changed', <IconEqualNot key="i" size={12} aria-hidden />],
} as const satisfies Record<TradeDifference['kind'], readonly [string, ReactNode]>;

function columnsIn(currency: string): DataColumn<TradeDifference>[] {
  return [
    {
      key: 'entry',
      title: 'Entry, UTC',
      value: ({ trade }) => trade.openTime,
      show: ({ trade }) => <span className="fl-number">{formatMoment(trade.openTime).slice(5, 16)}</span>,
      width: 98,
    },
    { key: 'kind', title: 'How', value: ({ kind }) => kind, show: ({ kind }) => <Kind kind={kind} />, width: 78 },
    {
      key: 'pnl',
      title: 'PnL',
      value: ({ trade }) => trade.profit,
      show: (each) => <Profit each={each} currency={currency} />,
      numeric: true,
      width: 74,
    },
  ];
}

function Kind({ kind }: Pick<TradeDifference, 'kind'>) {
  const [word, icon] = kinds[kind];
  return (
    <span className={`rules-difference rules-difference-${kind}`}>
      {icon}
      {word}
    </span>
  );
}

function Profit({ each: { kind, trade, before }, currency }: { each: TradeDifference; currency: string }) {
  if (kind === 'removed') return <s className="rules-dim">{formatPnl(trade.profit, currency)}</s>;
  return (
    <span
      className={`fl-${toneOf(trade.profit, currency)}`}
      {...(before === null ? {} : { title: `was ${formatPnl(before.profit, currency)}` })}
    >
      {formatPnl(trade.profit, currency)}
    </span>
  );
}

function Sum({ name, amount, currency }: { name: ReactNode; amount: number; currency: string }) {
  return (
    <tr>
      <td>{name}</td>
      <td className={`fl-numeric fl-${toneOf(amount, currency)}`}>{formatPnl(amount, currency)}</td>
    </tr>
  );
}
