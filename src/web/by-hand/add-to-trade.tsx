import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { useOpenProfit } from '../live/use-open-profit.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { baseOf, decimalsOf, formatAmount, formatMoney, settleOf } from '../ui/money.ts';
import { Asking } from './asking.tsx';
import { CurrentPrice } from './current-price.tsx';
import { useAsking } from './use-asking.ts';

/** Asks to make an open trade larger at market. */
export function AddToTrade({ trade, onDone }: { trade: TradeOrders; onDone: () => void }) {
  const currency = settleOf(trade.symbol);
  const [stake, setStake] = useState<number | string>(Number(trade.stake.toFixed(decimalsOf(currency))));
  const open = useOpenProfit(trade);
  const more = Number(stake);
  const isReady = stake !== '' && more > 0;
  const { arrived, ...asked } = useAsking({
    trade,
    wish: { kind: 'add', stake: more },
    name: 'Add',
    call: (options) => api.addToTrade({ params: { id: trade.trade_id }, body: { stake: more } }, options),
    onDone,
  });
  const price = open?.price ?? null;
  const bought = price === null ? null : (more * trade.leverage) / price;
  const base = baseOf(trade.symbol);
  return (
    <Asking
      title="Add"
      confirmLabel="Add"
      note={`${trade.symbol} is made larger at market now, at most by this stake. Its stop then covers all of it.`}
      mode={trade.mode === 'paper' ? 'paper' : 'live'}
      exchangeId={trade.exchange_id}
      isReady={isReady}
      asked={asked}
      arrived={arrived}
      facts={
        isReady
          ? [
              ['Current price', <CurrentPrice key="price" open={open} trade={trade} />],
              ['Added', bought === null ? 'not known' : `about ${formatAmount(Number(bought.toPrecision(4)))} ${base}`],
              ['Position now', `${formatAmount(trade.amount)} ${base}`],
              ['Stake afterwards', formatMoney(trade.stake + more, currency)],
            ]
          : []
      }
    >
      <NumberInput
        label={`Stake (${currency})`}
        size="xs"
        min={0}
        clampBehavior="none"
        value={stake}
        onChange={setStake}
        error={isReady ? null : 'Stake amount must be positive'}
      />
    </Asking>
  );
}
