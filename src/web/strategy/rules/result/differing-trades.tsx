import { IconEqualNot, IconMinus, IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { formatMoment } from '../../../ui/moment.ts';
import { formatPnl, toneOf } from '../../../ui/money.ts';
import type { TradeDifference, TradeDifferences } from '../replay/trade-differences.ts';

/** See `DifferingTrades`. */
export interface DifferingTradesProps {
  differences: TradeDifferences;
  currency: string;
  chosen: number | null; // place in the list
  onChoose: (place: number) => void;
}

/** The trades that the draft adds, removes, or ends otherwise; the sums below make the difference of the profits. */
export function DifferingTrades({ differences, currency, chosen, onChoose }: DifferingTradesProps) {
  const { list, all, added, removed, changed, difference } = differences;
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    // Only the list scrolls, never the page.
    const row = chosen === null ? undefined : body.current?.rows[chosen];
    const holder = row?.closest<HTMLElement>('.rules-differing');
    if (row === undefined || holder === undefined || holder === null) return;
    if (row.offsetTop < holder.scrollTop + 28) holder.scrollTop = row.offsetTop - 28;
    else if (row.offsetTop + row.offsetHeight > holder.scrollTop + holder.clientHeight)
      holder.scrollTop = row.offsetTop + row.offsetHeight - holder.clientHeight;
  }, [chosen]);
  return (
    <CardPanel title="Trades That Differ" aside={<span className="fl-number">{`${list.length} of ${all}`}</span>} flush>
      {list.length === 0 ? (
        <p className="rules-none">The same trades as the saved version, with the same results.</p>
      ) : (
        // A table that scrolls is reached by the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className="rules-differing" tabIndex={0} role="region" aria-label="Trades that differ">
          <table className="rules-table" aria-label="Trades that differ">
            <thead>
              <tr>
                <th>Entry, UTC</th>
                <th>Against the version</th>
                <th className="fl-numeric">PnL</th>
              </tr>
            </thead>
            <tbody ref={body}>
              {list.map((each, place) => (
                <Row
                  key={`${each.kind} ${each.trade.openTime} ${each.trade.direction}`}
                  each={each}
                  currency={currency}
                  isChosen={chosen === place}
                  onChoose={() => onChoose(place)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.length === 0 ? null : (
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
      )}
    </CardPanel>
  );
}

const kinds = {
  added: ['added', <IconPlus key="i" size={12} aria-hidden />],
  removed: ['removed', <IconMinus key="i" size={12} aria-hidden />],
  changed: ['other result', <IconEqualNot key="i" size={12} aria-hidden />],
} as const satisfies Record<TradeDifference['kind'], readonly [string, ReactNode]>;

function Row({ each, currency, isChosen, onChoose }: { each: TradeDifference; currency: string; isChosen: boolean; onChoose: () => void }) {
  const { kind, trade, before } = each;
  const [word, icon] = kinds[kind];
  return (
    // The button in its first cell does the same for the keyboard.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <tr className="fl-pickable" {...(isChosen ? { 'data-selected': true } : {})} onClick={onChoose}>
      <td>
        <button type="button" className="fl-pick fl-number" aria-pressed={isChosen}>
          {formatMoment(trade.openTime).slice(5, 16)}
        </button>
      </td>
      <td>
        <span className={`rules-difference rules-difference-${kind}`}>
          {icon}
          {word}
        </span>
      </td>
      <td className="fl-numeric">
        {kind === 'removed' ? (
          <s className="rules-dim">{formatPnl(trade.profit, currency)}</s>
        ) : (
          <>
            {kind === 'changed' && before !== null ? <s className="rules-dim">{formatPnl(before.profit, currency)}</s> : null}{' '}
            <span className={`fl-${toneOf(trade.profit, currency)}`}>{formatPnl(trade.profit, currency)}</span>
          </>
        )}
      </td>
    </tr>
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
