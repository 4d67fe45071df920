import type { ReactNode } from 'react';
import { ModeTag } from '../ui/mode-tag.tsx';
import { formatPnl, toneOf } from '../ui/money.ts';
import { fleetTotals } from './fleet-rows.ts';
import type { FleetBot } from '../live/joined-fleet.ts';

/** The head of the fleet: which bots are shown, and what they have earned today, live and paper apart. */
export function FleetHead({ bots, children }: { bots: readonly FleetBot[]; children: ReactNode }) {
  return (
    <header className="fl-panel-head fleet-head">
      <h2>Fleet</h2>
      {children}
      <div className="fleet-totals fl-number">
        {fleetTotals(bots).map(({ mode, currency, today, unrealized }) => (
          <p key={`${mode} ${currency}`}>
            <ModeTag mode={mode} />
            <span>today</span>
            <Pnl amount={today} currency={currency} />
            <span className="fleet-bar">unrealized</span>
            <Pnl amount={unrealized} currency={currency} />
          </p>
        ))}
      </div>
    </header>
  );
}

/** Profit or loss in its colour. */
export function Pnl({ amount, currency }: { amount: number; currency: string }) {
  return <span className={`fl-${toneOf(amount, currency)}`}>{formatPnl(amount, currency)}</span>;
}
