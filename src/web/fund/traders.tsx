import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { FundOverview } from './overview.ts';

/** See `Traders`. */
export interface TradersProps {
  title: string;
  traders: FundOverview['top_traders']; // in the order of their places
  emptyText: string;
}

/** Traders by e-mail, as a list of places. */
export function Traders({ title, traders, emptyText }: TradersProps) {
  return (
    <CardPanel title={title} aside="by total PnL, live" flush>
      {traders.length === 0 ? (
        <EmptyState text={emptyText} minHeight={90} />
      ) : (
        <ol className="fund-traders fl-number" aria-label={title}>
          {traders.map(({ id, email }) => (
            <li key={id}>{email}</li>
          ))}
        </ol>
      )}
    </CardPanel>
  );
}
