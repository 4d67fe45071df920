/** A mark on a chart: its sign, what it means, its colour. */
export type LegendMark = readonly [mark: string, word: string, color: string];

/** Says what the marks on a chart of candles mean, and how long the candles are once that is known. */
export function Legend({ marks, timeframe }: { marks: readonly LegendMark[]; timeframe: string | undefined }) {
  return (
    <>
      {marks.map(([mark, word, color]) => (
        <span key={word}>
          <span aria-hidden style={{ color }}>
            {mark}
          </span>{' '}
          {word}
        </span>
      ))}
      {timeframe === undefined ? null : <span className="fl-number">{timeframe} candles, UTC</span>}
    </>
  );
}
