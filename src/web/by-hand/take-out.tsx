import { NumberInput, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { useOpenProfit } from '../live/use-open-profit.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { baseOf, formatAmount, formatMoney, formatPnl, quoteOf, settleOf, toneOf } from '../ui/money.ts';
import { Asking } from './asking.tsx';
import { CurrentPrice } from './current-price.tsx';
import { useAsking } from './use-asking.ts';

const parts = ['25', '50', '75'] as const;

/** Asks to leave a part of an open trade at market. */
export function TakeOut({ trade, onDone }: { trade: TradeOrders; onDone: () => void }) {
  const [percent, setPercent] = useState<number | string>(50);
  const open = useOpenProfit(trade);
  const share = Number(percent) / 100;
  const isReady = share > 0 && share < 1;
  const { arrived, ...asked } = useAsking({
    trade,
    wish: { kind: 'take-out', share },
    name: 'Take Out',
    call: (options) => api.takeOutOfTrade({ params: { id: trade.trade_id }, body: { share } }, options),
    onDone,
  });
  const currency = settleOf(trade.symbol);
  const amount = trade.amount * share;
  const worth = open === null || open.price === null ? 'not known' : formatMoney(amount * open.price, quoteOf(trade.symbol));
  const brings = open === null ? null : (open.unrealizedPnl - open.takenOut) * share;
  return (
    <Asking
      title="Take Out"
      confirmLabel="Take Out"
      note={`A part of ${trade.symbol} is closed at market now. The rest keeps its stop.`}
      mode={trade.mode === 'paper' ? 'paper' : 'live'}
      exchangeId={trade.exchange_id}
      isReady={isReady}
      asked={asked}
      arrived={arrived}
      facts={
        isReady
          ? [
              ['Current price', <CurrentPrice key="price" open={open} trade={trade} />],
              ['Closed', `${formatAmount(amount)} ${baseOf(trade.symbol)}, about ${worth}`],
              ['Left', `${formatAmount(trade.amount - amount)} ${baseOf(trade.symbol)}`],
              [
                'Estimated result',
                brings === null ? (
                  'not known'
                ) : (
                  <b key="result" className={`fl-${toneOf(brings, currency)}`}>
                    {formatPnl(brings, currency)}
                  </b>
                ),
              ],
            ]
          : []
      }
    >
      <SegmentedControl
        aria-label="Part"
        data={parts.map((value) => ({ value, label: `${value} %` }))}
        value={String(percent)}
        onChange={(value) => setPercent(Number(value))}
      />
      <NumberInput
        label="Part (%)"
        size="xs"
        min={0}
        max={100}
        clampBehavior="none"
        value={percent}
        onChange={setPercent}
        error={isReady ? null : 'Between 0 and 100 %'}
      />
    </Asking>
  );
}
