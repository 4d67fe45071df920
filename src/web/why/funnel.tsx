import { CardPanel } from '../ui/card-panel.tsx';
import { refusalText } from '../live/decision-words.ts';
import { whole } from '../live/count-words.ts';
import type { DecisionFunnel } from './use-decisions.ts';

/** See `Funnel`. */
export interface FunnelProps {
  funnel: DecisionFunnel;
  maxOpenTrades: number | undefined;
  show: string | null; // the step whose candles are listed
  onShow: (show: string | null) => void;
}

/** From candles to won trades, with what each check refused. A click on a step lists its candles. */
export function Funnel({ funnel, maxOpenTrades, show, onShow }: FunnelProps) {
  const { candles, signals, refused, entered, closed, won } = funnel;
  const steps = [
    { key: null, text: 'Candles', count: candles, isRefusal: false },
    { key: 'signals', text: 'Signals', count: signals, isRefusal: false },
    ...refused.map(({ gate, count }) => ({ key: gate, text: `Refused: ${refusalText(gate, maxOpenTrades)}`, count, isRefusal: true })),
    { key: 'entered', text: 'Entered', count: entered, isRefusal: false },
  ];
  return (
    <CardPanel title="Funnel" flush>
      <ul className="why-steps">
        {steps.map(({ key, text, count, isRefusal }) => (
          <li key={key}>
            <button type="button" aria-pressed={show === key} onClick={() => onShow(key)} className={isRefusal ? 'why-refused' : ''}>
              <span>{text}</span>
              <span className="why-bar" aria-hidden>
                {key === null ? null : <span style={{ width: `${signals === 0 ? 0 : (count / signals) * 100}%` }} />}
              </span>
              <b className="fl-number">{whole(count)}</b>
            </button>
          </li>
        ))}
      </ul>
      <p className="why-trades">
        Trades closed: <b className="fl-number">{whole(closed)}</b>, won: <b className="fl-number">{whole(won)}</b>
      </p>
    </CardPanel>
  );
}
