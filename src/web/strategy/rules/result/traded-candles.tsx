import type { MarketHistory } from '#contract/packed-history.ts';
import { type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { indicatorColor } from '../../../chart/indicator-lines.ts';
import { Legend } from '../../../chart/legend.tsx';
import { chartColors } from '../../../chart/chart-style.ts';
import type { PlacedLine } from '../../../chart/line-layer.ts';
import { replayCandles } from '../../../chart/replay-candles.ts';
import { ReplayChart } from '../../../chart/replay-chart.tsx';
import { differenceColors } from '../../../chart/replay-trades.ts';
import type { RuleRow } from '../edit/rule-rows.ts';
import { ruleRows } from '../edit/rule-rows.ts';
import { useReplayDesk } from '../replay/replay-desk.ts';
import { chosenPlace, cursorText, useReplayed, useReplayStore } from '../replay/replay-store.ts';
import { CursorLine } from './cursor-line.tsx';
import { drawn, drawnTrades } from './drawn-trades.ts';
import { stripList, stripsOf } from './strips-of.ts';

/** See `TradedCandles`. */
export interface TradedCandlesProps {
  history: MarketHistory;
  timeframe: Timeframe;
  selected: RuleRow | null; // the line of the editor, whose list is shown under the candles
  isDraft: boolean;
  isLate: boolean; // the draft cannot be replayed: this is the one before
}

/** How many lines of the rules are drawn over the candles. */
const mostLines = 4;

/** The candles of the replay with its trades, where each condition held, and what held in the candle under the cursor. */
export function TradedCandles({ history, timeframe, selected, isDraft, isLate }: TradedCandlesProps) {
  // Hundreds of marks are drawn when the curves have been.
  const draft = useDeferredValue(useReplayed((replay) => replay.draft));
  const differences = useDeferredValue(useReplayed((replay) => replay.differences));
  const held = useDeferredValue(useReplayed((replay) => replay.held));
  const heldOf = useDeferredValue(useReplayed((replay) => replay.heldOf));
  const chosen = useReplayed((replay) => replay.chosen);
  const cursor = useReplayed((replay) => (cursorText(replay) === null ? null : replay.cursor));
  const time = useReplayed(cursorText);
  const onCursor = useCursor();
  const stepMs = held?.stepMs ?? timeframeLengths[timeframe];
  const startTime = draft?.startTime ?? history.from;
  const candles = useMemo(() => replayCandles(history.candles, startTime, history.to, stepMs), [history, startTime, stepMs]);
  const trades = useMemo(
    () => (draft === null ? [] : drawnTrades(draft.trades, isDraft && differences !== null ? differences.list : [])),
    [draft, differences, isDraft],
  );
  const rows = useMemo(() => (heldOf === null ? [] : ruleRows(heldOf)), [heldOf]);
  const list = heldOf === null ? 'enterLong' : stripList(heldOf, selected);
  const strips = useMemo(() => (held === null || heldOf === null ? [] : stripsOf(heldOf, rows, held, list)), [held, heldOf, rows, list]);
  const lines = useMemo(() => linesOf(held?.lines ?? [], candles), [held, candles]);
  const at = chosenPlace(differences, chosen);
  const each = at === null || !isDraft ? undefined : differences?.list[at];
  const chosenTrade = useMemo(() => (each === undefined ? null : drawn(each.trade, each.kind)), [each]);
  return (
    <div className={isLate ? 'rules-late' : ''}>
      <ReplayChart
        label="Candles with the trades of the replay"
        candles={candles}
        priceTick={history.instrument.priceTick}
        trades={trades}
        chosen={chosenTrade}
        lines={lines}
        strips={strips}
        cursor={cursor}
        onCursor={onCursor}
      />
      {heldOf === null ? null : <CursorLine document={heldOf} rows={rows} held={held} list={list} cursor={cursor} timeText={time} />}
      <p className="rules-legend">
        <Legend
          marks={[
            ['━', 'trade', chartColors.long],
            ...(isDraft && differences !== null
              ? ([
                  ['━', 'added', differenceColors.added],
                  ['╍', 'removed', differenceColors.removed],
                ] as const)
              : []),
            ...lines.map(({ name, color }) => ['━', name, color] as const),
            ['■', 'condition held', differenceColors.added],
          ]}
          timeframe={timeframe}
        />
      </p>
    </div>
  );
}

/** Follows the cursor, and asks what the conditions looked at there. */
function useCursor(): (row: number | null) => void {
  const store = useReplayStore();
  const desk = useReplayDesk();
  const held = useReplayed((replay) => replay.held);
  const last = useRef<number | null>(null);
  const ask = useCallback(
    (row: number | null) => {
      last.current = row;
      store.setState(row === null ? { cursor: null, values: {} } : { cursor: row });
      if (row !== null) desk.values(row, (values) => store.setState({ values }));
    },
    [store, desk],
  );
  useEffect(() => {
    if (last.current !== null) ask(last.current);
    // The same candle in another draft has other values.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [ask, held]);
  return ask;
}

/** The lines that have the size of the price, which alone can be drawn over candles. */
function linesOf(all: readonly { name: string; values: Float64Array }[], candles: readonly { low: number; high: number }[]): PlacedLine[] {
  const last = candles.at(-1);
  if (last === undefined) return [];
  return all
    .filter(({ values }) => {
      const value = values.at(-1) ?? Number.NaN;
      return value > last.low / 2 && value < last.high * 2;
    })
    .slice(0, mostLines)
    .map(({ name, values }, i) => ({ name, values, color: indicatorColor(i) }));
}
