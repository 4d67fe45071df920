import type { IPriceLine } from 'lightweight-charts';
import { LineStyle } from 'lightweight-charts';
import { useEffect } from 'react';
import type { CandleChartParts } from './chart-parts.ts';
import { chartColors } from './chart-style.ts';

/** How near to the line the pointer takes hold of it, in px; a finger needs more. */
const reachPx = { mouse: 6, touch: 18 };

/** A pointer that has moved less than this has not dragged, in px. */
const leastPx = 3;

/**
 * Lets the stop of the open trade be dragged: the line follows the pointer, and where it is dropped is said. Escape, and leaving the window,
 * leave it where it was. The chart is not moved meanwhile.
 */
export function useStopDrag(parts: CandleChartParts, stopPrice: number | null, onDrop: ((price: number) => void) | undefined): void {
  useEffect(() => {
    if (stopPrice === null || onDrop === undefined) return undefined;
    const { chart, candles } = parts;
    const element = chart.chartElement();
    let dragged: { line: IPriceLine; fromY: number; price: number; hasMoved: boolean } | null = null;
    const yOf = (event: MouseEvent): number => event.clientY - element.getBoundingClientRect().top;
    const isNear = (event: PointerEvent): boolean => {
      const line = candles.priceToCoordinate(stopPrice);
      const inPane = event.clientX - element.getBoundingClientRect().left < chart.timeScale().width();
      return line !== null && inPane && Math.abs(yOf(event) - line) <= reachPx[event.pointerType === 'touch' ? 'touch' : 'mouse'];
    };
    const end = (): void => {
      if (dragged !== null) candles.removePriceLine(dragged.line);
      dragged = null;
      element.classList.remove('chart-over-stop');
    };
    const down = (event: PointerEvent): void => {
      if (event.button !== 0 || !isNear(event)) return;
      event.preventDefault();
      event.stopPropagation();
      element.setPointerCapture(event.pointerId);
      const style = { color: chartColors.stop, lineWidth: 2, lineStyle: LineStyle.Solid, axisLabelVisible: true } as const;
      dragged = {
        line: candles.createPriceLine({ price: stopPrice, title: 'stop', ...style }),
        fromY: yOf(event),
        price: stopPrice,
        hasMoved: false,
      };
    };
    const move = (event: PointerEvent): void => {
      if (dragged === null) {
        element.classList.toggle('chart-over-stop', isNear(event));
        return;
      }
      event.stopPropagation();
      const price = candles.coordinateToPrice(yOf(event));
      if (price === null || !(price > 0)) return;
      dragged.price = price;
      dragged.hasMoved ||= Math.abs(yOf(event) - dragged.fromY) >= leastPx;
      dragged.line.applyOptions({ price });
    };
    const up = (event: PointerEvent): void => {
      if (dragged === null) return;
      event.stopPropagation();
      const { price, hasMoved } = dragged;
      end();
      if (hasMoved) onDrop(price);
    };
    const key = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') end();
    };
    // The chart itself listens to mouse and touch: while the line is held, or about to be, it must not scroll.
    const still = (event: Event): void => {
      if (dragged !== null || element.classList.contains('chart-over-stop')) event.stopPropagation();
    };
    const capture = { capture: true };
    element.addEventListener('pointerdown', down, capture);
    element.addEventListener('pointermove', move, capture);
    element.addEventListener('pointerup', up, capture);
    element.addEventListener('pointercancel', end, capture);
    element.addEventListener('mousedown', still, capture);
    element.addEventListener('touchstart', still, capture);
    window.addEventListener('keydown', key);
    return () => {
      end();
      element.removeEventListener('pointerdown', down, capture);
      element.removeEventListener('pointermove', move, capture);
      element.removeEventListener('pointerup', up, capture);
      element.removeEventListener('pointercancel', end, capture);
      element.removeEventListener('mousedown', still, capture);
      element.removeEventListener('touchstart', still, capture);
      window.removeEventListener('keydown', key);
    };
  }, [parts, stopPrice, onDrop]);
}
