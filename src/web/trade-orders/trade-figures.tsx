import { exitWords } from '../ui/exit-words.ts';
import type { Figure } from '../ui/figure-bar.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { baseOf, formatAmount, formatMoney, formatPnl, formatPrice, quoteOf, settleOf, toneOf } from '../ui/money.ts';
import { formatDuration } from '../ui/moment.ts';
import { formatSignedRatio, notAvailable } from '../ui/ratio.ts';
import { AsOf } from '../live/as-of.tsx';
import { useOpenProfit } from '../live/use-open-profit.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';

/** What the trade is, and what it has come to. */
export function TradeFigures({ trade }: { trade: TradeOrders }) {
  const isOpen = trade.status === 'open';
  const open = useOpenProfit(trade);
  const quote = quoteOf(trade.symbol);
  const currency = settleOf(trade.symbol);
  const pnl = isOpen ? (open?.unrealizedPnl ?? null) : trade.pnl;
  const price = (value: number | null | undefined) =>
    value === null || value === undefined ? notAvailable : formatPrice(value, quote, trade.price_tick);
  const worth = trade.exit_price ?? open?.price ?? trade.entry_price;
  const figures: Figure[] = [
    {
      name: isOpen ? 'Unrealized PnL' : 'PnL',
      value: pnl === null ? notAvailable : formatPnl(pnl, currency),
      tone: pnl === null ? 'flat' : toneOf(pnl, currency),
      isLead: true,
      ...(trade.pnl_ratio === null ? {} : { note: `${formatSignedRatio(trade.pnl_ratio)} of stake` }),
    },
    { name: 'Entry Price', value: price(trade.entry_price) },
    isOpen
      ? {
          name: 'Current Price',
          value: price(open?.price),
          ...(open === null || open.price === null ? {} : { note: <AsOf times={open.times} /> }),
        }
      : { name: 'Exit Price', value: price(trade.exit_price) },
    { name: 'Stop Loss', value: price(trade.stop_price), ...(trade.stop_by_hand && isOpen ? { note: 'set by hand' } : {}) },
    {
      name: 'Position Size',
      value: `${formatAmount(trade.amount)} ${baseOf(trade.symbol)}`,
      ...(trade.leverage === 1 ? {} : { note: `at ${trade.leverage}x` }),
    },
    { name: 'Fees and Funding', value: formatPnl(trade.funding - trade.fees, currency) },
    {
      name: isOpen ? 'In the Trade' : 'Duration',
      value: formatDuration(Date.parse(trade.closed_at ?? trade.time) - Date.parse(trade.opened_at)),
    },
    ...(trade.left_over === 0
      ? []
      : [
          {
            name: 'Left on the Account',
            value: `${formatAmount(trade.left_over)} ${baseOf(trade.symbol)}`,
            ...(worth === null ? {} : { note: `worth ${formatMoney(trade.left_over * worth, quote)}, too little to sell` }),
          },
        ]),
    ...(trade.exit_reason === null ? [] : [{ name: 'Exit Reason', value: exitWords(trade.exit_reason) }]),
  ];
  return <FigureBar label="Figures of the trade" figures={figures} />;
}
