import { ModeTag } from '../ui/mode-tag.tsx';
import { formatMoney, formatPnl, toneOf } from '../ui/money.ts';
import { formatSignedRatio } from '../ui/ratio.ts';
import type { BotTotal } from './bot-totals.ts';

/** The totals above the list, a group for each mode and currency. */
export function TotalsBar({ totals }: { totals: readonly BotTotal[] }) {
  if (totals.length === 0) return null;
  return (
    <section className="fl-panel bot-totals fl-number" aria-label="Totals">
      {totals.map(({ mode, currency, bots, active, pnl, startingBalance, balance, openTrades, slots }) => (
        <dl key={`${mode} ${currency}`} aria-label={`${mode} ${currency}`}>
          <div>
            <dt>
              <ModeTag mode={mode} />
            </dt>
            <dd>
              <b>{bots}</b> {bots === 1 ? 'bot' : 'bots'}, {active} active
            </dd>
          </div>
          <div>
            <dt>Total PnL, {mode}</dt>
            <dd className={`fl-${toneOf(pnl, currency)}`}>
              <b>{formatPnl(pnl, currency)}</b> {startingBalance > 0 ? formatSignedRatio(pnl / startingBalance) : ''}
            </dd>
          </div>
          <div>
            <dt>Current Balance, {mode}</dt>
            <dd>
              <b>{formatMoney(balance, currency)}</b>
            </dd>
          </div>
          <div>
            <dt>Open Trades, {mode}</dt>
            <dd>
              <b>{openTrades}</b> of {slots}
            </dd>
          </div>
        </dl>
      ))}
    </section>
  );
}
