import { formatPnl, toneOf } from './money.ts';

/** See `Sparkline`. */
export interface SparklineProps {
  values: readonly number[] | undefined; // change of PnL since the start, oldest first; undefined while not loaded
  what?: string; // what the line shows, for its title
  currency: string;
  width: number; // px
  height: number; // px
}

const edge = 2.5; // px that stay free around the line

/** A small line of profit and loss, over seven days unless said otherwise, with the zero line it started from. */
export function Sparkline({ values, what = '7-day PnL', currency, width, height }: SparklineProps) {
  const last = values?.at(-1);
  // One value alone is not a line yet.
  if (values === undefined || last === undefined || values.length < 2) {
    return (
      <span
        className="fl-spark"
        style={{ width, height }}
        title={last === undefined && values !== undefined ? 'No PnL in the last 7 days' : ''}
      />
    );
  }
  const top = Math.max(0, ...values);
  const bottom = Math.min(0, ...values);
  const y = (value: number): number => (top === bottom ? height / 2 : edge + ((top - value) / (top - bottom)) * (height - 2 * edge));
  const x = (i: number): number => edge + (i / Math.max(1, values.length - 1)) * (width - 2 * edge);
  const path = values.map((value, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  const label = `${what} ${formatPnl(last, currency)}`;
  return (
    <svg
      className={`fl-spark fl-spark-${toneOf(last, currency)}`}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <path className="fl-spark-zero" d={`M${edge} ${y(0).toFixed(1)}H${width - edge}`} />
      <path d={path} />
      <circle cx={x(values.length - 1).toFixed(1)} cy={y(last).toFixed(1)} r={1.8} />
    </svg>
  );
}
