import type { IChartApi } from 'lightweight-charts';
import type { RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';

/**
 * Makes a chart in an element and removes it with the component. The parts are null until the element exists; another
 * `create` makes another chart, so it keeps its identity as long as the chart is to stay.
 */
export function useChartParts<Parts extends { chart: IChartApi }>(
  create: (host: HTMLDivElement) => Parts,
  onReady: ((parts: Parts) => void) | undefined,
): [RefObject<HTMLDivElement | null>, Parts | null] {
  const host = useRef<HTMLDivElement>(null);
  const [parts, setParts] = useState<Parts | null>(null);
  useEffect(() => {
    if (host.current === null) return undefined;
    const made = create(host.current);
    setParts(made);
    onReady?.(made);
    return () => made.chart.remove();
  }, [create, onReady]);
  return [host, parts];
}
