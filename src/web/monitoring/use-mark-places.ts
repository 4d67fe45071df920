import type { Logical } from 'lightweight-charts';
import { useEffect, useState } from 'react';
import type { Candle } from '../chart/chart-data.ts';
import { placeOf } from '../chart/chart-data.ts';
import type { CandleChartParts } from '../chart/chart-parts.ts';
import type { DecisionMark } from './use-decision-marks.ts';

/** A mark and where it is drawn. */
export interface PlacedMark {
  key: string;
  x: number; // px from the left edge of the chart
  mark: DecisionMark;
}

/** Where the marks in sight lie under the chart, followed as the reader moves it. */
export function useMarkPlaces(
  parts: CandleChartParts,
  candles: readonly Candle[],
  marks: readonly DecisionMark[] | undefined,
): PlacedMark[] {
  const [, setMoved] = useState<object>();
  useEffect(() => {
    const scale = parts.chart.timeScale();
    const follow = () => setMoved({});
    follow(); // what was drawn before the chart had its candles has no place yet
    scale.subscribeVisibleLogicalRangeChange(follow);
    scale.subscribeSizeChange(follow);
    return () => {
      scale.unsubscribeVisibleLogicalRangeChange(follow);
      scale.unsubscribeSizeChange(follow);
    };
  }, [parts]);

  if (marks === undefined) return [];
  const scale = parts.chart.timeScale();
  const width = scale.width();
  return marks.flatMap((mark) => {
    const place = placeOf(candles, Date.parse(mark.candle_time));
    const x = place === -1 ? null : scale.logicalToCoordinate(place as Logical);
    return x === null || x < 0 || x > width ? [] : [{ key: `${mark.candle_time} ${mark.action}`, x, mark }];
  });
}
