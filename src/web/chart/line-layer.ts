import type { IChartApi, IPrimitivePaneRenderer, ISeriesApi, ISeriesPrimitive, Logical, SeriesAttachedParameter } from 'lightweight-charts';

type Target = Parameters<IPrimitivePaneRenderer['draw']>[0];

/** A line over the candles, by their places. */
export interface PlacedLine {
  name: string;
  color: string;
  values: Float64Array; // by place of the candle; NaN where there is none
}

/** Draws lines below the candles' marks, and only what is in sight of them: another line costs nothing until it is drawn. */
export class LineLayer implements ISeriesPrimitive {
  #chart: IChartApi | null = null;
  #series: ISeriesApi<'Candlestick'> | null = null;
  #redraw: () => void = () => {};
  #lines: readonly PlacedLine[] = [];
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

  /** Draws these from now on. */
  set(lines: readonly PlacedLine[]): void {
    this.#lines = lines;
    this.#redraw();
  }

  #draw(target: Target): void {
    const scale = this.#chart?.timeScale();
    const range = scale?.getVisibleLogicalRange() ?? null;
    if (scale === undefined || range === null) return;
    target.useMediaCoordinateSpace(({ context }) => {
      context.save();
      context.lineWidth = 1;
      for (const { color, values } of this.#lines) {
        context.strokeStyle = color;
        context.beginPath();
        let isDrawing = false;
        for (let place = Math.max(0, Math.floor(range.from)); place <= Math.min(values.length - 1, Math.ceil(range.to)); place++) {
          const x = scale.logicalToCoordinate(place as Logical);
          const y = Number.isFinite(values[place]) ? (this.#series?.priceToCoordinate(values[place] ?? 0) ?? null) : null;
          if (x === null || y === null) isDrawing = false;
          else if (isDrawing) context.lineTo(x, y);
          else {
            context.moveTo(x, y);
            isDrawing = true;
          }
        }
        context.stroke();
      }
      context.restore();
    });
  }
}
