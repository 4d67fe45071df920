import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import { IconArrowsMaximize, IconArrowsMinimize } from '@tabler/icons-react';
import { indicatorColor } from '../chart/indicator-lines.ts';
import { setChartTimeframe, setLarge, toggleIndicator, useChartChoices } from './chart-store.ts';

/** See `ChartTools`. */
export interface ChartToolsProps {
  timeframe: string | undefined; // of the candles that are shown
  names: readonly string[]; // of the indicators the strategy has in this timeframe
  onEnter: (() => void) | null; // a trade may be opened by hand
  notice: string | null; // what a reader should know of the candles that are not there
}

/** Timeframes, indicators and height of the chart. */
export function ChartTools({ timeframe, names, onEnter, notice }: ChartToolsProps) {
  const { indicators, isLarge } = useChartChoices();
  return (
    <div className="mon-tools">
      <div className="mon-times" role="group" aria-label="Timeframe">
        {strategyTimeframes.map((each) => (
          <button key={each} type="button" className="mon-chip" aria-pressed={each === timeframe} onClick={() => setChartTimeframe(each)}>
            {each}
          </button>
        ))}
      </div>
      {notice === null ? null : <span role="status">{notice}</span>}
      <div className="mon-indicators" role="group" aria-label="Indicators">
        {names.length === 0 ? null : <span aria-hidden>Indicators</span>}
        {names.map((name, place) => (
          <button
            key={name}
            type="button"
            className="mon-chip"
            aria-pressed={indicators.includes(name)}
            onClick={() => toggleIndicator(name)}
          >
            <span aria-hidden {...(indicators.includes(name) ? { style: { color: indicatorColor(place) } } : {})}>
              {indicators.includes(name) ? '━' : '+'}
            </span>{' '}
            {name}
          </button>
        ))}
        {onEnter === null ? null : (
          <button type="button" className="mon-chip" onClick={onEnter}>
            Enter by Hand
          </button>
        )}
        <button
          type="button"
          className="mon-chip"
          aria-pressed={isLarge}
          aria-label={isLarge ? 'Smaller chart' : 'Larger chart'}
          title={isLarge ? 'Smaller chart' : 'Larger chart'}
          onClick={() => setLarge(!isLarge)}
        >
          {isLarge ? <IconArrowsMinimize size={14} aria-hidden /> : <IconArrowsMaximize size={14} aria-hidden />}
        </button>
      </div>
    </div>
  );
}
