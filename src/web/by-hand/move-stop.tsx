import { NumberInput, Switch } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { useOpenProfit } from '../live/use-open-profit.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { formatPrice, priceDecimals, quoteOf, settleOf } from '../ui/money.ts';
import { Asking } from './asking.tsx';
import { CurrentPrice } from './current-price.tsx';
import { stopFacts } from './stop-facts.tsx';
import { farOffText, isFarOff } from './stop-loss-facts.ts';
import { useAsking } from './use-asking.ts';
import { useStopMeaning } from './use-stop-meaning.ts';

/** See `MoveStop`. */
export interface MoveStopProps {
  trade: TradeOrders;
  price?: number; // where the stop was dragged to; where it is when absent
  onDone: () => void;
}

/** Asks to put the stop of an open trade elsewhere, or to let its bot move it again. Says what a fill there would bring. */
export function MoveStop({ trade, price: given, onDone }: MoveStopProps) {
  const quote = quoteOf(trade.symbol);
  const currency = settleOf(trade.symbol);
  const decimals = priceDecimals(trade.entry_price ?? 1, trade.price_tick);
  const [typed, setTyped] = useState<number | string>(Number((given ?? trade.stop_price ?? 0).toFixed(decimals)));
  const [isByBot, setByBot] = useState(false);
  const open = useOpenProfit(trade);
  const price = Number(typed);
  const meaning = useStopMeaning(trade, open, price);
  const isBeyond = meaning?.isBeyond === true;
  const isTooFar = isFarOff(price, open?.price ?? trade.entry_price);
  const isReady = isByBot || (typed !== '' && price > 0 && !isBeyond && !isTooFar);
  const { arrived, ...asked } = useAsking({
    trade,
    wish: { kind: 'move-stop', stop_price: isByBot ? null : price },
    name: 'Move Stop',
    call: (options) => api.moveStop({ params: { id: trade.trade_id }, body: { price: isByBot ? null : price } }, options),
    onDone,
  });
  const passed = isBeyond ? 'The price has passed it already. Use Close now to leave.' : null;
  const problem = isTooFar ? farOffText : (passed ?? (price > 0 ? null : 'Stop price must be positive'));
  return (
    <Asking
      title="Move Stop"
      confirmLabel={isByBot ? 'Let the Bot Move It' : 'Move Stop'}
      note={
        isByBot
          ? 'The settings of the bot move the stop again, as for any trade.'
          : 'The stop stays where you put it: neither trailing nor the strategy moves it until you let the bot move it again.'
      }
      mode={trade.mode === 'paper' ? 'paper' : 'live'}
      exchangeId={trade.exchange_id}
      isReady={isReady}
      asked={asked}
      arrived={arrived}
      priceTick={trade.price_tick}
      facts={
        isByBot
          ? []
          : [
              ['Stop now', trade.stop_price === null ? 'none' : formatPrice(trade.stop_price, quote, trade.price_tick)],
              ['Current price', <CurrentPrice key="price" open={open} trade={trade} />],
              ...stopFacts(meaning, currency),
            ]
      }
    >
      <NumberInput
        label={`Stop Price (${quote})`}
        size="xs"
        min={0}
        decimalScale={decimals}
        step={10 ** -decimals}
        clampBehavior="none"
        disabled={isByBot}
        value={typed}
        onChange={setTyped}
        error={isByBot ? null : problem}
      />
      {trade.stop_by_hand ? (
        <Switch
          size="xs"
          label="Let the bot move it again"
          checked={isByBot}
          onChange={({ currentTarget }) => setByBot(currentTarget.checked)}
        />
      ) : null}
    </Asking>
  );
}
