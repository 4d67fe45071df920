import { afterEach, describe, expect, test } from 'vitest';
import { render } from 'vitest-browser-react';
import { someCandles } from '../testing/samples.ts';
import { CandleChart } from './candle-chart.tsx';
import type { Candle, Overlays } from './chart-data.ts';
import type { CandleChartParts } from './chart-parts.ts';
import { chartColors } from './chart-look.ts';
import type { EquityChartParts } from './equity-chart.tsx';
import { EquityChart } from './equity-chart.tsx';
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

const chartOf = (candles: readonly Candle[], drawn: Overlays = overlays, theme: 'dark' | 'light' = 'dark') => (
  <div style={{ width: 900 }}>
    <CandleChart label="Candles" candles={candles} overlays={drawn} theme={theme} onReady={keepCandles} />
  </div>
);
const parts = () => {
  if (candleParts === null) throw new Error('The chart must be drawn by now');
  return candleParts;
};

describe('the candle chart', () => {
  test('MON-06, MON-17, MON-22 candles are drawn in their two colours, 300 px high', async () => {
    const screen = await render(chartOf(first));
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
    await render(chartOf(first));
    expect(parts().markers.markers()).toMatchObject([
      { shape: 'arrowUp', position: 'belowBar' },
      { shape: 'arrowDown', position: 'aboveBar' },
      { shape: 'circle' },
    ]);
    expect(parts().avwap.options().color).toBe(chartColors.avwap);
    for (const color of [chartColors.avwap, chartColors.long, chartColors.short, chartColors.stop]) {
      await expect.poll(() => pixels(parts().chart, color), { message: color }).toBeGreaterThan(10);
    }
  });

  test('a poll updates the last candle and appends new ones without moving the view of the reader', async () => {
    const screen = await render(chartOf(first));
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

  test('candles of another past are drawn anew; broken ones are left out', async () => {
    const screen = await render(chartOf(first));
    const other = someCandles(30, 90, 1_700_000_000_000).candles;
    await screen.rerender(chartOf([...other.toReversed(), { ...other[0], close: Number.NaN }]));
    expect(parts().candles.data()).toHaveLength(30);
  });

  test('the ground follows the look; the logo of the library is off', async () => {
    const screen = await render(chartOf(first));
    expect(parts().chart.options().layout).toMatchObject({ attributionLogo: false, background: { color: '#171b26' } });
    await screen.rerender(chartOf(first, overlays, 'light'));
    expect(parts().chart.options().layout).toMatchObject({ background: { color: '#ffffff' } });
  });
});

test('MON-05, MON-25, OP-51 the PnL chart draws its points as a line around zero with two decimals', async () => {
  const points = [
    { time: 1_763_600_000_000, pnl: 10 },
    { time: 1_763_603_600_000, pnl: -5.5 },
    { time: 1_763_607_200_000, pnl: 3 },
  ];
  const screen = await render(
    <div style={{ width: 600 }}>
      <PnlChart label="PnL" points={points} theme="dark" onReady={keepPnl} />
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
    const screen = await render(
      <div style={{ width: 800 }}>
        <EquityChart label="Equity" first={equity} drawdown={drawdown} unit="money" theme="dark" onReady={keep} />
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

  test('two curves are lines of their own colour, in per cent with a sign', async () => {
    await render(
      <div style={{ width: 800 }}>
        <EquityChart label="Equity" first={equity} second={drawdown} unit="percent" theme="light" onReady={keep} />
      </div>,
    );
    const { chart, first, second } = drawn();
    expect(chart.panes()).toHaveLength(1);
    expect([first.priceFormatter().format(-5), second?.priceFormatter().format(3)]).toEqual(['-5.00%', '+3.00%']);
    for (const color of [chartColors.long, chartColors.stop]) await expect.poll(() => pixels(chart, color)).toBeGreaterThan(20);
  });
});
