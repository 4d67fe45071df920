import './why.css';
import { useEffect, useRef } from 'react';
import { refusalText } from '../live/decision-words.ts';
import { RefusedReplay } from './refused-replay.tsx';
import { useReplay } from './use-replay.ts';

/** See `RefusedPanel`. */
export interface RefusedPanelProps {
  botId: string;
  gate: string;
  days: number;
  symbol: string | null; // null: all pairs
}

/** The entries that a check has refused, replayed without it as soon as the panel is there; nothing where such a check cannot be left out. */
export function RefusedPanel({ botId, gate, days, symbol }: RefusedPanelProps) {
  const replay = useReplay(botId, { days, symbol, show: gate });
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current || replay === null) return;
    asked.current = true;
    replay.ask();
  }, [replay]);
  if (replay === null) return null;
  return (
    <div className="why-panel">
      <p>
        Entries refused in {days === 1 ? 'the last 24 hours' : `the last ${days} days`}
        {symbol === null ? '' : ` in ${symbol}`}: {refusalText(gate)}
      </p>
      <RefusedReplay replay={replay} />
    </div>
  );
}
