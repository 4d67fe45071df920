/** What a rule may know of prices at one moment: a candle, or a tick as a candle with open = high = low = close. */
export interface PriceBar {
  time: number; // ms; a candle's opening time
  open: number;
  high: number;
  low: number;
  close: number;
}

/** A tick as a bar. */
export function tickBar(time: number, price: number): PriceBar {
  return { time, open: price, high: price, low: price, close: price };
}
