import type { CSSProperties } from 'react';
import { CardPanel } from '../ui/card-panel.tsx';
import { decimalsOf, formatPnl, toneOf } from '../ui/money.ts';
import type { Certificate } from './use-certificate.ts';
import { waterfall } from './waterfall-steps.ts';

/** See `WaterfallChart`. */
export interface WaterfallChartProps {
  promised: string;
  made: string;
  currency: string;
  parts: Certificate['parts'];
}

/** The way from what the backtest promised to what the account made: bars beside each other, below each other on a phone. */
export function WaterfallChart({ promised, made, currency, parts }: WaterfallChartProps) {
  const { steps, ticks, isBroken, start } = waterfall(Number(promised), Number(made), parts);
  const decimals = decimalsOf(currency);
  return (
    <CardPanel
      title="From Promise to Account"
      flush
      aside={isBroken ? `${currency}, the axis starts at ${start.toFixed(decimals)}` : currency}
    >
      <figure className="certificates-waterfall" data-broken={isBroken || undefined} aria-label="From the backtest to the account">
        <div className="certificates-grid" aria-hidden>
          {ticks.map(({ at, value }) => (
            <span key={value} style={place({ at })}>
              {value.toFixed(decimals)}
            </span>
          ))}
        </div>
        <ol>
          {steps.map(({ name, amount, isTotal, low, high, end }) => (
            <li key={name} style={place({ low, high, end })} data-tone={isTotal ? 'total' : toneOf(amount, currency)}>
              <span className="certificates-step">{name}</span>
              <span className="certificates-track">
                <i aria-hidden />
                <b className="fl-number">{formatPnl(amount, currency)}</b>
              </span>
            </li>
          ))}
        </ol>
      </figure>
    </CardPanel>
  );
}

/** Places as custom properties, in per cent of the axis. */
function place(places: Readonly<Record<string, number>>): CSSProperties {
  return Object.fromEntries(Object.entries(places).map(([name, value]) => [`--${name}`, `${(value * 100).toFixed(3)}%`]));
}
