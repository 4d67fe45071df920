import { IconHelp } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { useState } from 'react';
import { changeAddress } from '../address/address.ts';
import type { Candle } from '../chart/chart-data.ts';
import type { CandleChartParts } from '../chart/chart-parts.ts';
import { decisionSentence } from '../live/decision-words.ts';
import { formatMoment } from '../ui/moment.ts';
import type { DecisionMark } from './use-decision-marks.ts';
import { useDecisionMarks } from './use-decision-marks.ts';
import type { PlacedMark } from './use-mark-places.ts';
import { useMarkPlaces } from './use-mark-places.ts';

/** See `DecisionStrip`. */
export interface DecisionStripProps {
  botId: string;
  symbol: string;
  candles: readonly Candle[];
  parts: CandleChartParts;
}

/**
 * Under the candles: where the bot entered, left, or was refused a signal. The arrow keys move along the refused signals; Enter, or a click, leads to
 * the page that says why, for that check.
 */
export function DecisionStrip({ botId, symbol, candles, parts }: DecisionStripProps) {
  const { marks, isFailed } = useDecisionMarks(botId, symbol, candles);
  const places = useMarkPlaces(parts, candles, marks);
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const refused = places.filter(({ mark }) => mark.action === 'none');
  const chosen = places.find(({ key }) => key === chosenKey);

  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextPlace(
      event.key,
      refused.findIndex(({ key }) => key === chosenKey),
      refused.length,
    );
    if (next !== null) {
      event.preventDefault();
      setChosenKey(refused[next]?.key ?? null);
    } else if (event.key === 'Enter' && chosen !== undefined) showWhy(botId, symbol, chosen.mark);
    else if (event.key === 'Escape') setChosenKey(null);
  };
  const said = chosen === undefined ? null : sentenceOf(chosen.mark, symbol);
  return (
    <div className="mon-decisions">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a group of marks that arrow keys move along */}
      <div
        className="mon-strip"
        role="group"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its marks are too many to be stops of their own
        tabIndex={0}
        aria-label={`Decisions in sight: ${refused.length} refused. The arrow keys move along them, Enter says why.`}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          // Between marks: a finger that has missed one by a little chooses it, and opens nothing yet.
          if (event.target === event.currentTarget)
            setChosenKey(nearestKey(places, event.clientX - event.currentTarget.getBoundingClientRect().left));
        }}
        onMouseLeave={() => setChosenKey(null)}
      >
        {places.map(({ key, x, mark }) => (
          <button
            key={key}
            type="button"
            tabIndex={-1}
            aria-label={sentenceOf(mark, symbol)}
            className={`mon-mark mon-mark-${markClass(mark)}${key === chosenKey ? ' mon-mark-chosen' : ''}`}
            style={{ left: x }}
            onMouseEnter={() => setChosenKey(key)}
            onClick={() => showWhy(botId, symbol, mark)}
          />
        ))}
      </div>
      <div className="mon-said">
        <span role="status">
          {said ??
            (isFailed
              ? 'The decisions could not be loaded.'
              : marks === undefined
                ? ''
                : `Decisions in sight: ${summaryOf(places.map(({ mark }) => mark))}`)}
        </span>
        <button type="button" className="mon-chip" onClick={() => changeAddress({ why: botId, symbol, gate: null, days: null })}>
          <IconHelp size={14} aria-hidden /> Why no trade?
        </button>
      </div>
    </div>
  );
}

/** Opens the page that says why, for what the mark stands for; of the last day when it is that young. */
function showWhy(botId: string, symbol: string, { action, gate, candle_time: time }: DecisionMark): void {
  const ageDays = (Date.now() - Date.parse(time)) / 86_400_000;
  changeAddress({
    why: botId,
    symbol,
    gate: action === 'none' ? gate : action === 'enter' ? 'entered' : null,
    days: ageDays < 1 ? null : ageDays < 7 ? '7' : '30',
  });
}

/** The place an arrow key leads to; the newest when none is chosen. Null for other keys. */
function nextPlace(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowLeft') return at === -1 ? count - 1 : Math.max(0, at - 1);
  if (key === 'ArrowRight') return at === -1 ? count - 1 : Math.min(count - 1, at + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}

/** The mark that a press beside it means: the nearest within a finger's width. */
function nearestKey(places: readonly PlacedMark[], x: number): string | null {
  const nearest = places.reduce<PlacedMark | null>(
    (best, place) => (best === null || Math.abs(place.x - x) < Math.abs(best.x - x) ? place : best),
    null,
  );
  return nearest !== null && Math.abs(nearest.x - x) <= 22 ? nearest.key : null;
}

function sentenceOf(mark: DecisionMark, symbol: string): string {
  const { what, why } = decisionSentence({ ...mark, symbol }, undefined);
  return `${formatMoment(mark.candle_time).slice(0, 16)} ${what}${why === '' ? '' : `: ${why}`}`;
}

function markClass({ action, direction }: DecisionMark): string {
  return action === 'enter' ? (direction ?? 'long') : action === 'exit' ? 'left' : 'refused';
}

function summaryOf(marks: readonly DecisionMark[]): string {
  const count = (action: DecisionMark['action']) => marks.filter((mark) => mark.action === action).length;
  return `${count('enter')} entered, ${count('exit')} left by a signal, ${count('none')} refused`;
}
