import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { formatAmount, formatPrice, quoteOf } from '../ui/money.ts';
import { Fact } from '../ui/fact.tsx';
import { leftOutText, orderKind, orderNames } from './order-names.ts';
import { plainRefusal } from '#engine/ports/plain-refusal.ts';
import { preciseDuration, preciseTime } from './precise-time.ts';
import { isUnclear, whatIsDone } from './state-words.ts';
import type { TradeOrder, TradeOrders } from '../live/use-trade-orders.ts';

/** So many orders are shown before the rest is asked for: a stop that follows the price leaves hundreds. */
const mostShown = 8;

/** The orders of the trade: requested and filled apart, their state, and what is being done about those on their way. */
export function OrderCards({ trade }: { trade: TradeOrders }) {
  const names = orderNames(trade.orders);
  const [showsAll, setShowsAll] = useState(false);
  const hidden = trade.orders.length > mostShown ? trade.orders.length - mostShown : 0;
  // The first is the entry that began the trade; of the rest the newest say how it stands.
  const shown = showsAll || hidden === 0 ? trade.orders : [...trade.orders.slice(0, 1), ...trade.orders.slice(hidden + 1)];
  return (
    <CardPanel title="Orders" aside={<span>{counts(trade.orders)}</span>} flush>
      <ul className="orders-list fl-number">
        {shown.map((order) => (
          <OrderCard key={order.order_id} order={order} name={names.get(order.order_id) ?? ''} trade={trade} />
        ))}
      </ul>
      {hidden === 0 ? null : (
        <Button variant="ghost" size="small" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer orders' : `Show ${hidden} more ${hidden === 1 ? 'order' : 'orders'}`}
        </Button>
      )}
    </CardPanel>
  );
}

function OrderCard({ order, name, trade }: { order: TradeOrder; name: string; trade: TradeOrders }) {
  const price = (value: number | null) => (value === null ? null : formatPrice(value, quoteOf(trade.symbol), trade.price_tick));
  const doing = whatIsDone(order);
  return (
    <li className={isUnclear(order) ? 'orders-unclear' : ''}>
      <div className="orders-order">
        <p>
          <b>{name}</b> {orderKind(order)}
        </p>
        <StateMark order={order} />
      </div>
      <dl>
        <Fact name="Requested">{formatAmount(order.requested)}</Fact>
        <Fact name="Filled">{formatAmount(order.filled)}</Fact>
        {order.average_price === null ? null : <Fact name="Average price">{price(order.average_price)}</Fact>}
        {order.type === 'limit' ? <Fact name="Limit price">{price(order.price)}</Fact> : null}
        {order.stop_price === null ? null : <Fact name="Stop price">{price(order.stop_price)}</Fact>}
        {order.stop_gap_ms === null ? null : <Fact name="No stop before it for">{preciseDuration(order.stop_gap_ms)}</Fact>}
        {order.attempts > 1 ? <Fact name="Sent">{order.attempts} times</Fact> : null}
        <Fact name="Our id">{order.order_id}</Fact>
        {order.exchange_order_id === null ? null : <Fact name="Exchange's id">{order.exchange_order_id}</Fact>}
        {order.refusal === null ? null : <Fact name={order.state === 'cancelled' ? 'Why' : 'Refused'}>{plainRefusal(order.refusal)}</Fact>}
      </dl>
      {order.alike_before === 0 ? null : <p className="orders-left-out">{leftOutText(order)}.</p>}
      {doing === null ? null : (
        <p className="orders-doing">
          <IconAlertTriangle size={14} aria-hidden />
          <span>
            <b>
              {order.state} since {preciseTime(doing.since)}
            </b>{' '}
            {doing.text}
          </span>
        </p>
      )}
    </li>
  );
}

function StateMark({ order }: { order: TradeOrder }) {
  return (
    <span className={`fl-status orders-state-${stateTone(order)}`}>
      <span className="fl-status-mark" aria-hidden />
      {order.state}
    </span>
  );
}

function stateTone(order: TradeOrder): 'good' | 'open' | 'unclear' | 'bad' | 'over' {
  if (isUnclear(order)) return 'unclear';
  if (order.state === 'filled') return 'good';
  if (order.state === 'refused') return 'bad';
  return order.state === 'open' || order.state === 'planned' ? 'open' : 'over';
}

/** '1 entry, 4 stops': how many orders of each purpose there are. */
function counts(orders: readonly TradeOrder[]): string {
  const plural = { entry: 'entries', exit: 'exits', adjust: 'adjustments', stop: 'stops' } as const;
  const single = { entry: 'entry', exit: 'exit', adjust: 'adjustment', stop: 'stop' } as const;
  return (['entry', 'adjust', 'stop', 'exit'] as const)
    .flatMap((purpose) => {
      const count = orders.reduce((sum, order) => (order.purpose === purpose ? sum + 1 + order.alike_before : sum), 0);
      return count === 0 ? [] : [`${count} ${count === 1 ? single[purpose] : plural[purpose]}`];
    })
    .join(', ');
}
