import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { draw } from '../testing/draw.tsx';
import { someCandles } from '../testing/samples/monitoring.ts';
import { CandleChart } from './candle-chart.tsx';
import type { Candle, Overlays } from './chart-data.ts';
import type { CandleChartParts } from './chart-parts.ts';
import { chartColors, comparedLines } from './chart-style.ts';
import type { DayChartParts } from './day-chart.tsx';
import { DayChart } from './day-chart.tsx';
import type { EquityChartParts } from './equity-chart.tsx';
import { EquityChart } from './equity-chart.tsx';
import type { LiveChart } from './live-chart.ts';
import type { PnlChartParts } from './pnl-chart.tsx';
import { PnlChart } from './pnl-chart.tsx';

let candleParts: CandleChartParts | null = null;
let pnlParts: PnlChartParts | null = null;
const keepCandles = (parts: CandleChartParts) => {
  candleParts = parts;
};
const keepPnl = (parts: PnlChartParts) => {
  pnlParts = parts;
};
beforeAll(() => page.viewport(1000, 700));
afterEach(() => {
  candleParts = null;
  pnlParts = null;
});

const first = someCandles(200, 104).candles;
const time = (index: number) => first[index]?.timestamp ?? 0;
const overlays: Overlays = {
  trades: [
    { timestamp: time(100), direction: 'long' },
    { timestamp: time(120), direction: 'short' },
  ],
  stops: [{ timestamp: time(130) }],
  avwap: first.slice(50).map(({ timestamp }) => ({ timestamp, value: 100 })),
};

/** How many pixels of the drawn chart have the colour '#rrggbb'. */
function pixels(chart: CandleChartParts['chart'], color: string): number {
  const canvas = chart.takeScreenshot(true);
  const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) count += 1;
  return count;
}

const chartOf = (candles: readonly Candle[], drawn: Overlays = overlays) => (
  <div style={{ width: 900 }}>
    <CandleChart label="Candles" candles={candles} overlays={drawn} onReady={keepCandles} />
  </div>
);
const parts = () => {
  if (candleParts === null) throw new Error('The chart must be drawn by now');
  return candleParts;
};

describe('the candle chart', () => {
  test('MON-06, MON-17, MON-22 candles are drawn in their two colours, 300 px high', async () => {
    const screen = await draw(chartOf(first));
    expect(screen.container.querySelector('.chart-host')?.getBoundingClientRect().height).toBe(300);
    expect(parts().candles.data()).toHaveLength(200);
    expect(parts().candles.options()).toMatchObject({
      upColor: '#26a69a',
      downColor: '#ef5350',
      wickUpColor: '#26a69a',
      wickDownColor: '#ef5350',
    });
    await expect.poll(() => pixels(parts().chart, '#26a69a')).toBeGreaterThan(100);
    expect(pixels(parts().chart, '#ef5350')).toBeGreaterThan(100);
    expect(parts().volume.data()).toHaveLength(200);
  });

  test('MON-18, MON-19, MON-20, MON-21 arrows, circles and the blue line are drawn', async () => {
    await draw(chartOf(first));
    await expect
      .poll(() => parts().markers.markers())
      .toMatchObject([{ shape: 'arrowUp', position: 'belowBar' }, { shape: 'arrowDown', position: 'aboveBar' }, { shape: 'circle' }]);
    expect(parts().avwap.options().color).toBe(chartColors.avwap);
    for (const color of [chartColors.avwap, chartColors.long, chartColors.short, chartColors.stop]) {
      await expect.poll(() => pixels(parts().chart, color), { message: color }).toBeGreaterThan(10);
    }
  });

  test('a poll updates the last candle and appends new ones without moving the view of the reader', async () => {
    const screen = await draw(chartOf(first));
    parts().chart.timeScale().setVisibleLogicalRange({ from: 40, to: 80 });
    await expect.poll(() => Math.round(parts().chart.timeScale().getVisibleLogicalRange()?.from ?? 0)).toBe(40);
    const last = first.at(-1);
    if (last === undefined) throw new Error('There are candles');
    const next = [...first.slice(1, -1), { ...last, close: 107, high: 108 }, { ...last, timestamp: last.timestamp + 300_000 }];
    await screen.rerender(chartOf(next));
    expect(parts().candles.data()).toHaveLength(201);
    expect(parts().candles.data().at(-2)).toMatchObject({ close: 107 });
    const range = parts().chart.timeScale().getVisibleLogicalRange();
    expect([Math.round(range?.from ?? 0), Math.round(range?.to ?? 0)]).toEqual([40, 80]);
  });

  test('candles of another past are drawn again from scratch; broken ones are left out', async () => {
    const screen = await draw(chartOf(first));
    const other = someCandles(30, 90, 1_700_000_000_000).candles;
    await screen.rerender(chartOf([...other.toReversed(), { ...other[0], close: Number.NaN }]));
    expect(parts().candles.data()).toHaveLength(30);
  });

  test('WIDGET-07 every chart is dark; the logo of the library is off', async () => {
    await draw(chartOf(first));
    expect(parts().chart.options().layout).toMatchObject({ attributionLogo: false, background: { color: '#171b26' } });
    await expect.poll(() => pixels(parts().chart, '#171b26')).toBeGreaterThan(50_000);
  });

  test('DATA-12 the scale writes prices with the step of the market', async () => {
    const at = (tick: number | null) => (
      <div style={{ width: 900 }}>
        <CandleChart label="Candles" candles={first} priceTick={tick} onReady={keepCandles} />
      </div>
    );
    const screen = await draw(at(0.0001));
    expect(parts().candles.priceFormatter().format(1.5634)).toBe('1.5634');
    await screen.rerender(at(null));
    expect(parts().candles.priceFormatter().format(1.5634)).toBe('1.56');
  });

  test('older candles take their place before the others without moving the view of the reader', async () => {
    const screen = await draw(chartOf(first.slice(100)));
    const scale = () => parts().chart.timeScale();
    scale().setVisibleLogicalRange({ from: 10, to: 50 });
    const times = () => {
      const range = scale().getVisibleRange();
      return [range?.from, range?.to];
    };
    await expect.poll(() => Math.round(scale().getVisibleLogicalRange()?.from ?? 0)).toBe(10);
    const before = times();
    await screen.rerender(chartOf(first));
    expect(parts().candles.data()).toHaveLength(200);
    await expect.poll(times).toEqual(before);
  });

  test('the AVWAP is two lines, broken at its second anchor, and no line presses the candles flat', async () => {
    const avwap = first.map(({ timestamp }, i) => ({ timestamp, value: i < 120 ? 100 : 100_000 }));
    await draw(chartOf(first, { trades: [], stops: [], avwap, avwap_anchors: [time(0), time(120)] }));
    expect([parts().avwapBefore.data().length, parts().avwap.data().length]).toEqual([120, 80]);
    await expect.poll(() => parts().candles.priceToCoordinate(100)).not.toBeNull();
    const height = (parts().candles.priceToCoordinate(95) ?? 0) - (parts().candles.priceToCoordinate(105) ?? 0);
    expect(height).toBeGreaterThan(40);
  });
});

/** Waits as long as a loaded machine may need. */
const eventually = <T,>(value: () => T) => expect.poll(value);

describe('a live chart', () => {
  const live: LiveChart = {
    symbol: 'BTC/USDT',
    stopPrice: 96,
    openedTradeId: null,
    onOpenTrade: () => {},
    indicators: [],
    onNeedOlder: () => {},
  };
  const closed = {
    trade_id: 'a',
    status: 'closed' as const,
    timestamp: time(100),
    direction: 'long' as const,
    entry_price: 100.5,
    entry_tag: 'cross-up',
    exit_timestamp: time(130),
    exit_price: 103.25,
    exit_reason: 'roi',
    pnl: 12.5,
    pnl_ratio: 0.027,
    stop_price: 97,
    target_price: null,
  };
  const open = {
    ...closed,
    trade_id: 'b',
    status: 'open' as const,
    direction: 'short' as const,
    timestamp: time(150),
    entry_price: 104.5,
    exit_timestamp: null,
    exit_price: null,
    exit_reason: null,
    pnl: null,
    pnl_ratio: null,
    stop_price: 108,
    target_price: 99,
  };
  const drawn: Overlays = { trades: [closed, open], stops: [], avwap: overlays.avwap };
  const readoutFree = (container: HTMLElement) => container.querySelector('.aside') as HTMLElement;
  const chart = (more: Partial<LiveChart> = {}, candles: readonly Candle[] = first, over: Overlays = drawn) => (
    <div style={{ width: 900 }}>
      <p className="aside">beside</p>
      <CandleChart label="Candles" candles={candles} overlays={over} priceTick={0.0001} live={{ ...live, ...more }} onReady={keepCandles} />
    </div>
  );
  const levels = () =>
    parts()
      .candles.priceLines()
      .map((line) => line.options())
      .map(({ price, title }) => [title, price]);

  test('MON-20 a closed trade is a segment with its exit marked at its price; the open one is dashed to the price of now', async () => {
    const stopped = { ...closed, trade_id: 'c', timestamp: time(40), exit_timestamp: time(60), exit_reason: 'stop_loss', pnl: -3 };
    await draw(chart({}, first, { ...drawn, trades: [stopped, closed, open], stops: [{ timestamp: time(60) }] }));
    expect(parts().segments.segments()).toEqual([
      { tradeId: 'c', isOpen: false, color: chartColors.long, from: { place: 40, price: 100.5 }, to: { place: 60, price: 103.25 } },
      { tradeId: 'a', isOpen: false, color: chartColors.long, from: { place: 100, price: 100.5 }, to: { place: 130, price: 103.25 } },
      { tradeId: 'b', isOpen: true, color: chartColors.short, from: { place: 150, price: 104.5 }, to: { place: 199, price: 104 } },
    ]);
    expect(parts().markers.markers()).toMatchObject([
      { id: 'entry c', shape: 'arrowUp', position: 'belowBar' },
      { id: 'exit c', shape: 'circle', color: chartColors.stop, price: 103.25 },
      { id: 'entry a', shape: 'arrowUp' },
      { id: 'exit a', shape: 'square', color: chartColors.up, price: 103.25 },
      { id: 'entry b', shape: 'arrowDown', position: 'aboveBar' },
    ]);
    await eventually(() => pixels(parts().chart, chartColors.short)).toBeGreaterThan(20);
  });

  test('entry, stop and target of the open trade are levels with their distance, and go with it', async () => {
    const screen = await draw(chart());
    const all = [
      ['', 104],
      ['entry +0.48%', 104.5],
      ['stop -7.69%', 96],
      ['target -4.81%', 99],
    ];
    await eventually(levels).toEqual(all);
    await screen.rerender(chart({ stopPrice: 97 }));
    await eventually(levels).toEqual([...all.slice(0, 2), ['stop -6.73%', 97], ...all.slice(3)]);
    await screen.rerender(chart({ stopPrice: null }, first, { ...drawn, trades: [closed] }));
    await eventually(levels).toEqual([['', 104]]);
  });

  test('a stop beyond the scale is named at the edge behind which it lies, and not once it is in sight', async () => {
    const screen = await draw(chart({ stopPrice: 4 }));
    await expect.element(page.getByText(/stop -96\.15%, \$4\.0000/u)).toBeVisible();
    expect(document.querySelector('.chart-edge-bottom')?.textContent).toContain('stop');
    await screen.rerender(chart({ stopPrice: 4000 }));
    await eventually(() => document.querySelector('.chart-edge-top')?.textContent ?? '').toContain('stop');
    await screen.rerender(chart({ stopPrice: 103.9 }));
    await eventually(() => document.querySelectorAll('.chart-edge').length).toBe(0);
  });

  test('the badge of the entry has the sign of the result: of a long trade that gains it is a plus', async () => {
    await draw(chart({}, first, { ...drawn, trades: [{ ...open, direction: 'long', entry_price: 100 }] }));
    await eventually(() => levels()[1]).toEqual(['entry +4.00%', 100]);
  });

  test('the badge on the axis is the newest price also while the reader looks at older candles', async () => {
    const screen = await draw(chart({}, first, overlays));
    parts().chart.timeScale().setVisibleLogicalRange({ from: 20, to: 60 });
    await expect.element(page.getByRole('button', { name: 'Latest' })).toBeVisible();
    expect(parts().latest.options()).toMatchObject({ price: 104, axisLabelVisible: true });
    expect(parts().candles.options()).toMatchObject({ lastValueVisible: false, priceLineVisible: false });
    const last = first.at(-1);
    if (last === undefined) throw new Error('There are candles');
    await screen.rerender(chart({}, [...first.slice(0, -1), { ...last, close: 109.5, high: 110 }], overlays));
    expect(parts().latest.options().price).toBe(109.5);
    await page.getByRole('button', { name: 'Latest' }).click();
    await expect.element(page.getByRole('button', { name: 'Latest' })).not.toBeInTheDocument();
    expect(parts().chart.timeScale().getVisibleLogicalRange()?.to).toBeGreaterThan(199);
  });

  test('the readout is the newest candle, and the one under the crosshair', async () => {
    const screen = await draw(chart());
    const reads = (text: string) => eventually(() => page.getByTestId('readout').element().textContent).toContain(text);
    await userEvent.hover(readoutFree(screen.container)); // the pointer may be where another test left it
    await reads('C 104.0000');
    await reads('AVWAP 100.0000');
    const at = first[80];
    if (at === undefined) throw new Error('There are candles');
    const x = () =>
      Math.round(
        parts()
          .chart.timeScale()
          .timeToCoordinate((at.timestamp / 1000) as never) ?? 0,
      );
    await eventually(x).toBeGreaterThan(0);
    await userEvent.hover(screen.container.querySelector('.chart-host') as HTMLElement, { position: { x: x(), y: 150 } });
    await reads(`C ${at.close.toFixed(4)}`);
    await userEvent.hover(readoutFree(screen.container));
    await reads('C 104.0000');
  });

  test('pointing at a mark shows what it is; a click opens its trade', async () => {
    const opened: string[] = [];
    const screen = await draw(chart({ onOpenTrade: (id) => opened.push(id) }));
    const x = () =>
      parts()
        .chart.timeScale()
        .timeToCoordinate((time(130) / 1000) as never) ?? 0;
    await eventually(x).toBeGreaterThan(0);
    const canvas = screen.container.querySelector('.chart-host') as HTMLElement;
    const card = async () => {
      await userEvent.hover(readoutFree(screen.container));
      await userEvent.hover(canvas, { position: { x: Math.round(x()), y: Math.round(parts().candles.priceToCoordinate(103.25) ?? 0) } });
      return screen.container.querySelector('.chart-card')?.textContent;
    };
    await eventually(card).toBe('Exit long $103.25002025-11-20 18:15:00 UTCPnL +$12.50 (+2.70%)Reason: profit target');
    const y = parts().candles.priceToCoordinate(103.25) ?? 0;
    await userEvent.click(canvas, { position: { x: Math.round(x()), y: Math.round(y) } });
    expect(opened).toEqual(['a']);
  });

  test('an opened trade comes into view; candles that come later do not move it', async () => {
    const screen = await draw(chart());
    const range = () => {
      const { from = 0, to = 0 } = parts().chart.timeScale().getVisibleLogicalRange() ?? {};
      return [Math.round(from), Math.round(to)];
    };
    await screen.rerender(chart({ openedTradeId: 'a' }));
    await eventually(range).toEqual([70, 160]);
    parts().chart.timeScale().setVisibleLogicalRange({ from: 20, to: 60 });
    await screen.rerender(chart({ openedTradeId: 'a' }, [...first], { ...drawn, trades: [...drawn.trades] }));
    await eventually(range).toEqual([20, 60]);
  });

  test('indicators that are prices lie over the candles, others below; older candles are asked for at the left end', async () => {
    let asked = 0;
    const line = (name: string, value: number) => ({
      name,
      color: '#e0a92e',
      points: first.map(({ timestamp }) => ({ timestamp, value })),
    });
    const more = { onNeedOlder: () => void (asked += 1) };
    const screen = await draw(chart({ ...more, indicators: [line('fast', 101)] }));
    await eventually(() => parts().chart.panes().length).toBe(1);
    const over = parts().chart.panes()[0]?.getSeries().length ?? 0;
    await screen.rerender(chart({ ...more, indicators: [line('fast', 101), line('rsi', 30)] }));
    await eventually(() => parts().chart.panes().length).toBe(2);
    await screen.rerender(chart({ ...more, indicators: [] }));
    await eventually(() => parts().chart.panes().length).toBe(1);
    expect(parts().chart.panes()[0]?.getSeries()).toHaveLength(over - 1);
    parts().chart.timeScale().setVisibleLogicalRange({ from: 5, to: 60 });
    await eventually(() => Math.round(parts().chart.timeScale().getVisibleLogicalRange()?.from ?? 0)).toBe(5);
    expect(asked).toBe(0); // nobody has moved the chart
    parts().chart.chartElement().dispatchEvent(new WheelEvent('wheel'));
    parts().chart.timeScale().setVisibleLogicalRange({ from: 4, to: 60 });
    await eventually(() => asked).toBeGreaterThan(0);
  });
});

test('MON-05, MON-25, OP-51 the PnL chart draws its points as a line around zero with two decimals', async () => {
  const points = [
    { time: 1_763_600_000_000, pnl: 10 },
    { time: 1_763_603_600_000, pnl: -5.5 },
    { time: 1_763_607_200_000, pnl: 3 },
  ];
  const screen = await draw(
    <div style={{ width: 600 }}>
      <PnlChart label="PnL" points={points} onReady={keepPnl} />
    </div>,
  );
  const made = pnlParts as unknown as PnlChartParts;
  expect(made.line.data().map((point) => 'value' in point && point.value)).toEqual([10, -5.5, 3]);
  expect(made.line.priceFormatter().format(-5.5)).toBe('-5.50');
  expect(made.line.priceFormatter().format(3)).toBe('+3.00');
  expect(screen.container.querySelector('.chart-host')?.getBoundingClientRect().height).toBe(300);
  await expect.poll(() => pixels(made.chart, chartColors.up)).toBeGreaterThan(20);
  expect(pixels(made.chart, chartColors.down)).toBeGreaterThan(20);
});

describe('the equity chart', () => {
  let made: EquityChartParts | null = null;
  const keep = (parts: EquityChartParts) => {
    made = parts;
  };
  const drawn = () => {
    if (made === null) throw new Error('The chart must be drawn by now');
    return made;
  };
  const day = 86_400_000;
  const equity = [
    { time: 0, value: 1000 },
    { time: day, value: 1100 },
    { time: 10 * day, value: 900 },
  ];
  const drawdown = [
    { time: 0, value: 0 },
    { time: 10 * day, value: -200 },
  ];

  test('BT-16 equity is drawn on a true time axis, green above its start and red below, the drawdown beneath', async () => {
    const screen = await draw(
      <div style={{ width: 800 }}>
        <EquityChart label="Equity" first={equity} drawdown={drawdown} unit="money" onReady={keep} />
      </div>,
    );
    expect(screen.container.querySelector('.chart-host')?.getBoundingClientRect().height).toBe(410);
    const { chart, first, drawdown: below } = drawn();
    expect(chart.panes()).toHaveLength(2);
    expect([first.getPane().paneIndex(), below?.getPane().paneIndex()]).toEqual([0, 1]);
    expect(first.options()).toMatchObject({ baseValue: { price: 1000 } });
    const times = first.data().map(({ time: at }) => Number(at));
    expect([times[0], times.at(-1)]).toEqual([0, 864_000]);
    expect(new Set(times.slice(1).map((at, i) => at - (times[i] ?? 0)))).toEqual(new Set([576]));
    expect(below?.data().map(({ time: at }) => at)).toEqual(first.data().map(({ time: at }) => at));
    await expect.poll(() => pixels(chart, chartColors.up)).toBeGreaterThan(10);
    expect(pixels(chart, chartColors.down)).toBeGreaterThan(10);
  });

  test('up to six curves are lines of their own colour, in per cent with a sign', async () => {
    await draw(
      <div style={{ width: 800 }}>
        <EquityChart
          label="Equity"
          first={equity}
          others={[10, 20, 30, 40, 50].map((less) => equity.map(({ time: at, value }) => ({ time: at, value: value - less })))}
          unit="percent"
          onReady={keep}
        />
      </div>,
    );
    const { chart, first, others } = drawn();
    expect(chart.panes()).toHaveLength(1);
    expect([first.priceFormatter().format(-5), others[4]?.priceFormatter().format(3)]).toEqual(['-5.00%', '+3.00%']);
    for (const { color } of comparedLines) await expect.poll(() => pixels(chart, color)).toBeGreaterThan(20);
  });
});

test('another number of curves makes another chart, and the one before is asked nothing more', async () => {
  const failures: string[] = [];
  const fail = (event: ErrorEvent) => failures.push(event.message);
  window.addEventListener('error', fail);
  onTestFinished(() => window.removeEventListener('error', fail));
  const made: DayChartParts[] = [];
  const keep = (parts: DayChartParts) => made.push(parts);
  const curve = (color: string) => ({ color, points: [0, 3_600_000].map((time) => ({ time, value: time / 100_000 })) });
  const screen = await draw(<DayChart label="Day" curves={[curve(chartColors.long)]} onReady={keep} />);
  await screen.rerender(<DayChart label="Day" curves={[curve(chartColors.long), curve(chartColors.stop)]} onReady={keep} />);
  const now = made.at(-1);
  if (made.length !== 2 || now === undefined) throw new Error('There must be two charts by now');
  for (const color of [chartColors.long, chartColors.stop]) await expect.poll(() => pixels(now.chart, color)).toBeGreaterThan(20);
  expect(failures).toEqual([]);
});
