import type { LastHour, NearestCandle } from '#contract/decisions.ts';

/** What became of the last hour of a bot: 'last hour 60 candles, no signal; the nearest was 13:25, RSI 31 of 30'. */
export function hourText({ candles, signals, entered, nearest }: LastHour, isOnePair: boolean): string {
  const counted = `last hour ${candles} candle${candles === 1 ? '' : 's'}`;
  if (signals > 0) return `${counted}, ${signals} signal${signals === 1 ? '' : 's'}, ${entered} entered`;
  return `${counted}, no signal${nearest === null ? '' : `; ${nearestText(nearest, isOnePair)}`}`;
}

/** The candle that was nearest to a signal: 'the nearest was 13:25 in ETH/USDT, RSI 31 of 30'. */
export function nearestText({ candle_time: time, symbol, name, value, threshold }: NearestCandle, isOnePair: boolean): string {
  return `the nearest was ${time.slice(11, 16)}${isOnePair ? '' : ` in ${symbol}`}, ${name} ${shortPair(value, threshold)}`;
}

/** Two numbers in as few digits as tell them apart, and at least four: '56.81 of 30'. */
function shortPair(value: number, threshold: number): string {
  for (let digits = 4; digits < 12; digits += 1) {
    const [a, b] = [value, threshold].map((each) => Number(each.toPrecision(digits)));
    if (a !== b) return `${a} of ${b}`;
  }
  return `${value} of ${threshold}`;
}
