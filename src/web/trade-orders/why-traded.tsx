import type { DecidedOn } from '#contract/decisions.ts';
import { exitWords, tagWords } from '../ui/exit-words.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { Fact } from '../ui/fact.tsx';
import { formatPrice, quoteOf } from '../ui/money.ts';
import { formatMoment } from '../ui/moment.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { seenText } from '../live/seen-words.ts';

/** Why a trade was entered and why it was left, in words, with what was seen when it was decided. */
export function WhyTraded({ trade }: { trade: TradeOrders }) {
  const { entry_tag: tag, exit_reason: reason, entered_on: entered, left_on: left } = trade;
  if (tag === null && reason === null && entered === null) return null;
  return (
    <CardPanel title="Why">
      <dl className="orders-costs fl-number">
        <Fact name="Entered">{tag === null || tag === '' ? 'a signal to enter' : tagWords(tag)}</Fact>
        {entered === null ? null : <Seen decided={entered} trade={trade} />}
        {reason === null ? null : <Fact name="Left">{reason === 'force_exit' ? 'by hand' : exitWords(reason)}</Fact>}
        {left === null ? null : <Seen decided={left} trade={trade} />}
      </dl>
    </CardPanel>
  );
}

function Seen({ decided, trade }: { decided: DecidedOn; trade: TradeOrders }) {
  const price = decided.price ?? decided.seen?.price;
  const text = seenText(decided);
  return (
    <>
      <Fact name="On the candle of">{formatMoment(decided.candle_time).slice(0, 16)}</Fact>
      {price === undefined ? null : <Fact name="Price seen">{formatPrice(price, quoteOf(trade.symbol), trade.price_tick)}</Fact>}
      {text === '' ? null : <Fact name="Seen">{text}</Fact>}
    </>
  );
}
