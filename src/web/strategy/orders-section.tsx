import { orderActions, orderTypes, timeInForceActions, timesInForce } from '#contract/strategies.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { ChoiceRows } from './choice-rows.tsx';
import { wasText } from './fields.tsx';
import type { FormPart } from './form-part.ts';

/** With which orders trades are opened and closed, and how long those stay. */
export function OrdersSection({ part }: { part: FormPart }) {
  const { shown, readOnly, isBusy, onChange } = part;
  return (
    <div className="strategy-pair">
      <CardPanel title="Order Types Configuration" flush>
        <ChoiceRows
          what="order type"
          actions={orderActions}
          values={orderTypes}
          rows={shown.order_types}
          readOnly={readOnly}
          isBusy={isBusy}
          onChange={(rows) => onChange('order_types', rows)}
        />
        <p className="strategy-hint strategy-inset">{wasText(part, 'order_types')}</p>
      </CardPanel>
      <CardPanel title="Order Time in Force Configuration" flush>
        <ChoiceRows
          what="time in force"
          actions={timeInForceActions}
          values={timesInForce}
          rows={shown.order_time_in_force}
          readOnly={readOnly}
          isBusy={isBusy}
          onChange={(rows) => onChange('order_time_in_force', rows)}
        />
        <p className="strategy-hint strategy-inset">
          {wasText(part, 'order_time_in_force') ?? 'GTC waits until filled, IOC fills what it can at once, FOK fills all or nothing'}
        </p>
      </CardPanel>
    </div>
  );
}
