import type { ParameterValues, Signals, Strategy } from '../strategy/strategy.ts';
import type { SignalRow } from './event.ts';

/** How many indicators are kept with a decision. */
const mostValues = 6;

/** What is kept with the decision on candle `at`: the values of the strategy's first indicators, and how far the candle was from an entry. */
export function watchedRowAt(
  strategy: Pick<Strategy, 'nearness'>,
  parameters: ParameterValues,
  signals: Pick<Signals, 'indicators'>,
  close: ArrayLike<number>,
  at: number,
): Pick<SignalRow, 'values' | 'near'> {
  const all = Object.entries(signals.indicators).map(([name, column]) => [name, column[at]] as const);
  const values = all.slice(0, mostValues).flatMap(([name, value]) => (Number.isFinite(value) ? [[name, rounded(value)] as const] : []));
  const near = (strategy.nearness?.({ ...Object.fromEntries(all), close: close[at] }, parameters) ?? []).filter(({ distance }) =>
    Number.isFinite(distance),
  );
  return {
    ...(values.length === 0 ? {} : { values: Object.fromEntries(values) }),
    ...(near.length === 0
      ? {}
      : {
          near: near.map((each) => ({
            ...each,
            value: rounded(each.value),
            threshold: rounded(each.threshold),
            distance: rounded(each.distance),
          })),
        }),
  };
}

/** Six digits say enough, and a decision is written for every candle. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
