import { IconAlertCircle, IconArrowBackUp, IconCopy, IconDroplet, IconBulb, IconSend } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { baseOf, formatAmount, formatPrice, quoteOf } from '../ui/money.ts';
import { copyRecord } from './copy-record.ts';
import { preciseDuration, preciseTime } from './precise-time.ts';
import type { RecordStep, StepKind } from './record.ts';
import { recordOf } from './record.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';

const icons: Readonly<Record<StepKind, typeof IconSend>> = {
  Decision: IconBulb,
  Attempt: IconSend,
  Unknown: IconAlertCircle,
  State: IconArrowBackUp,
  Fill: IconDroplet,
};

/** Every step of the trade's orders with its time; what was not certain is amber. On a phone each step is a block. */
export function OrderRecord({ trade }: { trade: TradeOrders }) {
  const steps = useMemo(() => recordOf(trade), [trade]);
  return (
    <CardPanel
      title="Record"
      flush
      aside={
        <Button variant="secondary" size="small" icon={<IconCopy size={13} aria-hidden />} onClick={() => void copyRecord(trade)}>
          Copy as text
        </Button>
      }
    >
      <table className="orders-record fl-number" aria-label="Record">
        <thead>
          <tr>
            <th scope="col">Time (UTC)</th>
            <th scope="col" className="fl-numeric">
              After
            </th>
            <th scope="col">Step</th>
            <th scope="col">What Happened</th>
            <th scope="col">Order</th>
            <th scope="col" className="fl-numeric">
              {`Amount, ${baseOf(trade.symbol)}`}
            </th>
            <th scope="col" className="fl-numeric">
              Price
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step, place) => (
            <StepRow key={place} step={step} before={steps[place - 1]} trade={trade} />
          ))}
        </tbody>
      </table>
      <p className="orders-note">
        {steps.length} {steps.length === 1 ? 'step' : 'steps'}.{' '}
        {trade.mode === 'paper' ? 'Simulated: no order was sent.' : "Times of orders are this server's, times of fills the exchange's."}
      </p>
    </CardPanel>
  );
}

function StepRow({ step, before, trade }: { step: RecordStep; before: RecordStep | undefined; trade: TradeOrders }) {
  const Icon = icons[step.kind];
  const day = step.at.slice(0, 10);
  return (
    <tr className={`orders-${step.kind.toLowerCase()}${step.isUnclear ? ' orders-unclear' : ''}`}>
      <td>
        {before?.at.slice(0, 10) === day ? null : <span className="orders-day">{day}</span>} <time>{preciseTime(step.at)}</time>
      </td>
      <td className="fl-numeric orders-after">
        {before === undefined ? '' : `+${preciseDuration(Date.parse(step.at) - Date.parse(before.at))}`}
      </td>
      <td>
        <span className="orders-kind">
          <Icon size={13} aria-hidden />
          {step.kind}
        </span>
      </td>
      <td className="orders-text">{step.text}</td>
      <td>{step.order}</td>
      <td className="fl-numeric">{step.amount === null ? '' : formatAmount(step.amount)}</td>
      <td className="fl-numeric">{step.price === null ? '' : formatPrice(step.price, quoteOf(trade.symbol), trade.price_tick)}</td>
    </tr>
  );
}
