import type { CandleCounts, NearestCandle } from '#contract/decisions.ts';
import type { FleetBot } from './joined-fleet.ts';

type Counts = Pick<FleetBot, 'last_hour' | 'last_day'>;

/**
 * What became of the last hour and day of a bot, in a sentence each: 'Last hour 60 candles, no signal; the nearest was 13:25, RSI 31 of 30. Last day 1,440
 * candles, 3 signals, 1 entered.' One sentence for both where the day has no more than the hour. Empty where that is not known, and of a bot that makes no entries.
 */
export function countsText({ last_hour: hour, last_day: day }: Counts, isOnePair: boolean): string {
  const sentence = (name: string, counts: CandleCounts) => {
    const nearest = counts.signals > 0 || counts.nearest === null ? '' : `; ${nearestText(counts.nearest, isOnePair)}`;
    return `${[`${name} ${candlesText(counts)}`, ...signalsText(counts)].join(', ')}${nearest}.`;
  };
  if (hour && isAllOfDay(hour, day)) return sentence('Last hour and day', hour);
  return [hour ? [sentence('Last hour', hour)] : [], day ? [sentence('Last day', day)] : []].flat().join(' ');
}

/**
 * The same for a line, with what may be cut off last: 'last hour 60 candles, last day 1,440, no signal; the nearest was 13:25, RSI 31 of 30'. `of`: the only
 * pair that is spoken of, or none.
 */
export function shortCountsText({ last_hour: hour, last_day: day }: Counts, of: string | null): string {
  if (!hour) return '';
  const nearest = hour.signals > 0 ? null : hour.nearest;
  const more = nearest === null ? '' : `; ${nearestText(nearest, nearest.symbol === of)}`;
  if (isAllOfDay(hour, day)) return `${[`last hour and day ${candlesText(hour)}`, ...signalsText(hour)].join(', ')}${more}`;
  const ofHour = `last hour ${candlesText(hour)}`;
  const ofDay = day ? [`last day ${day.candles === 0 ? 'no candle' : whole(day.candles)}`] : [];
  const isQuiet = hour.signals === 0 && (!day || day.signals === 0) && hour.candles > 0;
  const counts = isQuiet ? [ofHour, ...ofDay, 'no signal'] : [ofHour, ...signalsText(hour), ...ofDay, ...(day ? signalsText(day) : [])];
  return `${counts.join(', ')}${more}`;
}

/** Whether the day had nothing but the hour: of a bot that has run no longer. */
function isAllOfDay(hour: CandleCounts, day: CandleCounts | null | undefined): boolean {
  return day?.candles === hour.candles && day.signals === hour.signals && day.entered === hour.entered;
}

/** '1,440 candles' */
function candlesText({ candles }: CandleCounts): string {
  return candles === 0 ? 'no candle' : `${whole(candles)} candle${candles === 1 ? '' : 's'}`;
}

/** 'no signal'; '3 signals', '1 entered'; nothing about candles that there were not. */
function signalsText({ candles, signals, entered }: CandleCounts): string[] {
  if (candles === 0) return [];
  return signals === 0 ? ['no signal'] : [`${whole(signals)} signal${signals === 1 ? '' : 's'}`, `${whole(entered)} entered`];
}

/** A count with its thousands apart: '1,440'. */
export function whole(count: number): string {
  return count.toLocaleString('en-US');
}

/** The candle that was nearest to a signal: 'the nearest was 13:25 in ETH/USDT, RSI 31 of 30'. */
export function nearestText({ candle_time: time, symbol, name, value, threshold }: NearestCandle, isOnePair: boolean): string {
  return `the nearest was ${time.slice(11, 16)}${isOnePair ? '' : ` in ${symbol}`}, ${name} ${shortPair(value, threshold)}`;
}

/** Two numbers in as few digits as distinguish them: at least four, and all that stand before the point. '56.81 of 30', '80441 of 80445' */
function shortPair(value: number, threshold: number): string {
  const whole = Math.trunc(Math.max(Math.abs(value), Math.abs(threshold))).toString().length;
  for (let digits = Math.max(4, whole); digits < 16; digits += 1) {
    const [a, b] = [value, threshold].map((each) => Number(each.toPrecision(digits)));
    if (a !== b) return `${a} of ${b}`;
  }
  return `${value} of ${threshold}`;
}
