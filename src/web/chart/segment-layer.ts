import type { IChartApi, IPrimitivePaneRenderer, ISeriesApi, ISeriesPrimitive, Logical, SeriesAttachedParameter } from 'lightweight-charts';
import type { TradeSegment } from './trade-marks.ts';

type Target = Parameters<IPrimitivePaneRenderer['draw']>[0];

/** Draws trades as lines below the candles' marks. Its lines may begin and end out of sight. */
export class SegmentLayer implements ISeriesPrimitive {
  #chart: IChartApi | null = null;
  #series: ISeriesApi<'Candlestick'> | null = null;
  #redraw: () => void = () => {};
  #segments: readonly TradeSegment[] = [];
  #opened: string | null = null;
  readonly #views = [{ zOrder: () => 'normal' as const, renderer: () => ({ draw: (target: Target) => this.#draw(target) }) }];

  attached({ chart, series, requestUpdate }: SeriesAttachedParameter): void {
    this.#chart = chart;
    this.#series = series as ISeriesApi<'Candlestick'>;
    this.#redraw = requestUpdate;
  }

  detached(): void {
    this.#redraw = () => {};
  }

  paneViews() {
    return this.#views;
  }

  /** The lines that are drawn; for tests. */
  segments(): readonly TradeSegment[] {
    return this.#segments;
  }

  /** Draws these from now on; the opened one is thick. */
  set(segments: readonly TradeSegment[], opened: string | null): void {
    this.#segments = segments;
    this.#opened = opened;
    this.#redraw();
  }

  #draw(target: Target): void {
    target.useMediaCoordinateSpace(({ context }) => {
      for (const segment of this.#segments) this.#line(context, segment);
    });
  }

  #line(context: CanvasRenderingContext2D, { tradeId, color, isOpen, from, to }: TradeSegment): void {
    const scale = this.#chart?.timeScale();
    const [x1, x2] = [scale?.logicalToCoordinate(from.place as Logical), scale?.logicalToCoordinate(to.place as Logical)];
    const [y1, y2] = [this.#series?.priceToCoordinate(from.price), this.#series?.priceToCoordinate(to.price)];
    if (x1 === null || x1 === undefined || x2 === null || x2 === undefined) return;
    if (y1 === null || y1 === undefined || y2 === null || y2 === undefined) return;
    context.save();
    context.strokeStyle = color;
    context.lineWidth = tradeId === this.#opened ? 3 : 1.5;
    context.setLineDash(isOpen ? [5, 4] : []);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.restore();
  }
}
