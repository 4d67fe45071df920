/** Colours of candles and marks; the same in both looks. Long and short are neither green nor red: those mean money. */
export const chartColors = {
  up: '#26a69a',
  down: '#ef5350',
  avwap: '#2962ff',
  long: '#1e9bd7',
  short: '#b06cff',
  stop: '#f08c00',
  hold: '#8793a8', // buying and holding
} as const;

/** How compared curves are drawn, the first one first: each has a colour of its own, every other is dashed. */
export const comparedLines = [
  { color: chartColors.long, isDashed: false, mark: '━' },
  { color: chartColors.stop, isDashed: true, mark: '╍' },
  { color: chartColors.short, isDashed: false, mark: '━' },
  { color: '#e86fae', isDashed: true, mark: '╍' },
  { color: '#d9c300', isDashed: false, mark: '━' },
  { color: chartColors.hold, isDashed: true, mark: '╍' },
] as const;

/** The colours of a line around zero: above it those of gains, below it those of losses. */
export const gainsAndLosses = {
  topLineColor: chartColors.up,
  topFillColor1: `${chartColors.up}40`,
  topFillColor2: `${chartColors.up}08`,
  bottomLineColor: chartColors.down,
  bottomFillColor1: `${chartColors.down}08`,
  bottomFillColor2: `${chartColors.down}40`,
} as const;

/** The height of every chart, in px. */
export const chartHeight = 300;

/** The height of the trade chart when it is made large, in px. */
export const largeChartHeight = 560;

/** The height of the chart of a day, in px. */
export const dayChartHeight = 220;
