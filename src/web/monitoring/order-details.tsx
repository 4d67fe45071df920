import { IconListDetails } from '@tabler/icons-react';
import { changeAddress } from '../address/address.ts';
import { Button } from '../ui/button.tsx';
import { exitWords, tagWords } from '../ui/exit-words.ts';
import { Fact } from '../ui/fact.tsx';
import { formatMoney, formatPnl, formatPrice, quoteOf, toneOf } from '../ui/money.ts';
import { formatDuration, formatMoment } from '../ui/moment.ts';
import { formatRatio, notAvailable } from '../ui/ratio.ts';
import type { OrderLogEntry } from './use-monitoring.ts';

/** How a trade went: its result, and what happened in it in order of time. */
export function OrderDetails({ row, priceTick }: { row: OrderLogEntry; priceTick: number | null }) {
  const quote = quoteOf(row.symbol);
  const price = (value: number | null | undefined) =>
    value === null || value === undefined ? notAvailable : formatPrice(value, quote, priceTick);
  const pnl = row.pnl ?? null;
  const ratio = row.pnl_ratio ?? null;
  return (
    <div className="mon-details fl-number">
      <section>
        <h3>Result</h3>
        <dl>
          <Fact name="PnL">
            {pnl === null ? (
              notAvailable
            ) : (
              <>
                <span className={`fl-${toneOf(pnl, quote)}`}>{formatPnl(pnl, quote)}</span>
                {ratio === null ? '' : ` ${ratio < 0 ? '' : '+'}${formatRatio(ratio, 2)}`}
              </>
            )}
          </Fact>
          <Fact name="Exit">{price(row.exit)}</Fact>
          <Fact name="Exit reason">{row.exit_reason ? exitWords(row.exit_reason) : notAvailable}</Fact>
          <Fact name="Fees">{formatMoney(row.fees ?? 0, quote)}</Fact>
          {row.symbol.includes(':') ? <Fact name="Funding">{formatPnl(row.funding ?? 0, quote)}</Fact> : null}
          <Fact name="Stake">
            {formatMoney(row.stake ?? 0, quote)}
            {row.leverage === undefined || row.leverage === 1 ? '' : ` at ${row.leverage}x`}
          </Fact>
          {row.exit_timestamp === null || row.exit_timestamp === undefined ? null : (
            <Fact name="Duration">{formatDuration(Date.parse(row.exit_timestamp) - Date.parse(row.timestamp))}</Fact>
          )}
        </dl>
      </section>
      <section>
        <h3>What happened</h3>
        <ol>
          {eventsOf(row).map(({ time, text, at }, place) => (
            <li key={place}>
              <span>
                <time>{time === null ? '' : formatMoment(time).slice(5)}</time> {text}
              </span>
              <span>{price(at)}</span>
            </li>
          ))}
        </ol>
        {row.trade_id === undefined ? null : (
          <Button
            variant="secondary"
            size="small"
            icon={<IconListDetails size={13} aria-hidden />}
            onClick={() => changeAddress({ order: row.trade_id ?? null })}
          >
            Show orders
          </Button>
        )}
      </section>
    </div>
  );
}

/** Entry, stops and exit of a trade, oldest first. The time of a stop before its moves were kept is not known. */
function eventsOf(row: OrderLogEntry): { time: string | number | null; text: string; at: number | null | undefined }[] {
  const moves = row.stop_moves ?? [];
  const wasMoved = row.initial_stop !== undefined && row.initial_stop !== null && row.initial_stop !== row.stop_loss;
  const isEntered = row.status !== 'failed' && row.status !== 'cancelled';
  return [
    {
      time: row.timestamp,
      text: `${isEntered ? 'Entry' : 'Order to enter'} ${row.direction}${row.entry_tag ? `, signal ${tagWords(row.entry_tag)}` : ''}`,
      at: row.entry,
    },
    ...(!isEntered || row.initial_stop === null || row.initial_stop === undefined
      ? []
      : [{ time: row.timestamp, text: 'Stop set', at: row.initial_stop }]),
    ...moves.map(({ time, price }) => ({ time, text: 'Stop moved', at: price })),
    ...(wasMoved && moves.length === 0 ? [{ time: null, text: 'Stop moved, last to', at: row.stop_loss }] : []),
    ...(row.status === 'failed' ? [{ time: row.exit_timestamp ?? null, text: 'Refused', at: null }] : []),
    ...(row.status === 'cancelled' ? [{ time: row.exit_timestamp ?? null, text: 'Cancelled before it was filled', at: null }] : []),
    ...(row.exit_timestamp && isEntered
      ? [{ time: row.exit_timestamp, text: `Exit, ${row.exit_reason ? exitWords(row.exit_reason) : 'no reason given'}`, at: row.exit }]
      : []),
  ];
}
