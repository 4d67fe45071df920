import { CardPanel } from '../ui/card-panel.tsx';
import { formatMoney, formatPnl, formatPrice, quoteOf } from '../ui/money.ts';
import { notAvailable } from '../ui/ratio.ts';
import { costsOf } from './costs.ts';
import { Fact } from '../ui/fact.tsx';
import { preciseDuration } from './precise-time.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';

/** What carrying out the trade cost: slippage, fees, funding and time. */
export function TradeCosts({ trade }: { trade: TradeOrders }) {
  const costs = costsOf(trade);
  const quote = quoteOf(trade.symbol);
  const price = (value: number | null) => (value === null ? notAvailable : formatPrice(value, quote, trade.price_tick));
  return (
    <CardPanel title="What It Cost">
      <dl className="orders-costs fl-number">
        <Fact name="Price when decided">{price(costs.decidedPrice)}</Fact>
        <Fact name="Average fill of the entry">{price(costs.averageFill)}</Fact>
        <Fact name="Slippage of the entry">{costs.slippage === null ? notAvailable : formatPnl(-costs.slippage, quote)}</Fact>
        <Fact name={trade.status === 'open' ? 'Fees so far' : 'Fees'}>
          {costs.fees === null ? 'one is not known yet' : formatMoney(costs.fees, quote)}
        </Fact>
        {trade.symbol.includes(':') ? (
          <Fact name={trade.status === 'open' ? 'Funding so far' : 'Funding'}>{formatPnl(trade.funding, quote)}</Fact>
        ) : null}
        {costs.decisionToSentMs === null ? null : <Fact name="Decision to order sent">{preciseDuration(costs.decisionToSentMs)}</Fact>}
        {costs.unknownMs === 0 && !costs.isUnknown ? null : (
          <Fact name="Unknown">
            <span className={costs.isUnknown ? 'orders-amber' : ''}>
              {preciseDuration(costs.unknownMs)}
              {costs.isUnknown ? ', not resolved' : ', resolved'}
            </span>
          </Fact>
        )}
      </dl>
    </CardPanel>
  );
}
