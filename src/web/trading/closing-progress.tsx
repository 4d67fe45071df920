import type { TradingSwitch } from '../live/use-trading-state.ts';
import { ModeTag } from '../ui/mode-tag.tsx';
import { formatTimeOfDay } from '../ui/moment.ts';
import { count, isAre } from './trading-words.ts';

/** See `ClosingProgress`. */
export interface ClosingProgressProps {
  of: NonNullable<TradingSwitch['closing_all']>;
  most?: number; // trades that are named, where there is little room
}

/** How far closing everything of a switch has come, and why the rest is still open. */
export function ClosingProgress({ of, most = Infinity }: ClosingProgressProps) {
  const { asked_at: askedAt, closed, open } = of;
  const waiting = of.waiting.slice(0, most);
  const all = closed + open;
  return (
    <div className="trading-closing fl-number" role="status">
      <p>
        {all === 0
          ? 'No trade was open.'
          : open === 0
            ? `${closed === 1 ? 'The open trade is' : `All ${closed} trades are`} closed.`
            : `${closed} of ${count(all, 'trade')} closed, ${open} not yet.`}{' '}
        Asked {formatTimeOfDay(askedAt)} UTC.
      </p>
      {open === 0 ? null : (
        <ul>
          {waiting.map(({ trade_id: id, nickname, symbol, direction, mode, why }) => (
            <li key={id}>
              <ModeTag mode={mode} />
              <b>
                {nickname}, {symbol} {direction}
              </b>
              <span>{why}</span>
            </li>
          ))}
          {open > waiting.length ? <li>{`${count(open - waiting.length, 'more trade')} ${isAre(open - waiting.length)} open.`}</li> : null}
        </ul>
      )}
    </div>
  );
}
