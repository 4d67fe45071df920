import { dayMs } from '../market/durations.ts';

/** The value of the wallet over time: every candle for the drawdown, the last of each day for daily returns. */
export interface BalanceCurve {
  note(time: number, value: number): void;
  /** Ends the curve at `time` and returns it. */
  finish(time: number): DailyBalance;
}

/** Wallet values by day and the deepest fall between any two candles. */
export interface DailyBalance {
  days: { dayTime: number; balance: number }[]; // midnight UTC, and the last value of that day
  maxDrawdownRatio: number; // deepest relative fall, of the highest value so far
  maxDrawdownAbs: number; // deepest fall in money
  accountDrawdown: number; // relative, where the fall in money was deepest
  elapsedDays: number; // whole days between the first and the last value; at least 1
}

/** The curve of runs whose balance nobody asks for: it notes nothing. */
export const unnoted: BalanceCurve = {
  note: () => undefined,
  finish: () => ({ days: [], maxDrawdownRatio: 0, maxDrawdownAbs: 0, accountDrawdown: 0, elapsedDays: 1 }),
};

/** A curve that begins with this value. */
export function newBalanceCurve(startValue: number): BalanceCurve {
  const days: DailyBalance['days'] = [];
  let day = -1;
  let dayEnd = -Infinity; // ms; where the day ends
  let value = startValue;
  let high = startValue;
  let maxDrawdownRatio = 0;
  let maxDrawdownAbs = 0;
  let accountDrawdown = 0;
  let firstTime: number | null = null;

  function endDaysBefore(next: number): void {
    for (; day >= 0 && day < next; day++) days.push({ dayTime: day * dayMs, balance: value });
    day = next;
    dayEnd = (next + 1) * dayMs;
  }
  return {
    note(time, next) {
      firstTime ??= time;
      if (time >= dayEnd || day === -1) endDaysBefore(Math.floor(time / dayMs));
      value = next;
      if (next > high) high = next;
      else if (high - next > maxDrawdownAbs || high - next > maxDrawdownRatio * high) {
        if (high - next > maxDrawdownAbs) {
          maxDrawdownAbs = high - next;
          accountDrawdown = maxDrawdownAbs / high;
        }
        maxDrawdownRatio = Math.max(maxDrawdownRatio, (high - next) / high);
      }
    },
    finish(time) {
      endDaysBefore(Math.floor(time / dayMs) + 1);
      const elapsedDays = Math.max(1, Math.floor((time - (firstTime ?? time)) / dayMs));
      return { days, maxDrawdownRatio, maxDrawdownAbs, accountDrawdown, elapsedDays };
    },
  };
}
