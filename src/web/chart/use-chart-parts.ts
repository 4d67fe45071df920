import type { IChartApi } from 'lightweight-charts';
import type { RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';

/**
 * Makes a chart in an element and removes it with the component. The parts are null until the element exists; another
 * `create` or `onReady` makes another chart, so each keeps its identity as long as the chart is to stay. The parts of a chart
 * that was removed are never returned: the library would draw it once more and throw.
 */
export function useChartParts<Parts extends { chart: IChartApi }>(
  create: (host: HTMLDivElement) => Parts,
  onReady: ((parts: Parts) => void) | undefined,
): [RefObject<HTMLDivElement | null>, Parts | null] {
  const host = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<{ parts: Parts; create: unknown; onReady: unknown } | null>(null);
  useEffect(() => {
    if (host.current === null) return undefined;
    const parts = create(host.current);
    setCurrent({ parts, create, onReady });
    onReady?.(parts);
    return () => parts.chart.remove();
  }, [create, onReady]);
  return [host, current?.create === create && current.onReady === onReady ? current.parts : null];
}
