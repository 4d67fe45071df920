import type { RulesDocument } from '#engine/rules/document.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { IconBolt, IconChevronLeft, IconChevronRight, IconFlask } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { indicatorColor } from '../../../chart/indicator-lines.ts';
import { Legend } from '../../../chart/legend.tsx';
import { chartColors, chartHeight } from '../../../chart/chart-style.ts';
import { replayCandles } from '../../../chart/replay-candles.ts';
import type { ReplayLine } from '../../../chart/replay-chart.tsx';
import { ReplayChart } from '../../../chart/replay-chart.tsx';
import { differenceColors } from '../../../chart/replay-trades.ts';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { testedExitWords } from '../../../ui/exit-words.ts';
import { FailedLoad } from '../../../ui/failed-load.tsx';
import { FigureBar } from '../../../ui/figure-bar.tsx';
import { formatMoment } from '../../../ui/moment.ts';
import { formatMoney, formatPnl, formatStake, toneOf } from '../../../ui/money.ts';
import type { RuleRow } from '../edit/rule-rows.ts';
import { daysAt } from '../replay/market-choice.ts';
import type { ReplaySummary } from '../replay/replay-summary.ts';
import type { TradeDifference, TradeDifferences } from '../replay/trade-differences.ts';
import type { Histories } from '../replay/use-histories.ts';
import type { MarketOffer } from '../replay/use-market.ts';
import type { Replay } from '../replay/use-replay.ts';
import { CursorLine } from './cursor-line.tsx';
import { drawn, drawnTrades } from './drawn-trades.ts';
import { MarketFields } from './market-fields.tsx';
import { stripList, stripsOf } from './strips-of.ts';

/** What the parts of the result are given. */
export interface ResultProps {
  document: RulesDocument;
  rows: readonly RuleRow[];
  selected: RuleRow | null;
  isDraft: boolean; // it says otherwise than the saved version
  version: number | null; // that is saved
  faultCount: number; // of the draft, which is not replayed while it has some
  offer: MarketOffer;
  histories: Histories;
  replay: Replay;
  differences: TradeDifferences | null; // null: there is no saved version to compare with
  tookMs: number | null; // from the last edit to its equity
  isBroken: boolean; // the worker could not be started
  onRetry: () => void;
  chosen: number | null; // place of the chosen trade among those that differ
  onWalk: (by: -1 | 1) => void;
  cursor: number | null; // row of the candle under the cursor
  cursorText: string | null;
  onCursor: (row: number | null) => void;
}

/** The backtest of the draft, again with each edit: figures, candles with trades, and where each condition held. */
export function ReplayPanel(props: ResultProps) {
  const { document, offer, replay, histories, tookMs, isDraft, version } = props;
  const { draft, saved } = replay;
  const isLate = draft !== null && (replay.of !== document || replay.fault !== null);
  return (
    <CardPanel
      title="Backtest While You Edit"
      aside={
        tookMs === null || draft === null ? null : (
          <span className="rules-took fl-number">
            <IconBolt size={13} aria-hidden /> {Math.round(tookMs)} ms in this browser
          </span>
        )
      }
      flush
    >
      <ReplayBand draft={draft} />
      {draft === null ? null : (
        <div className={isLate && props.faultCount > 0 ? 'rules-late' : ''}>
          <FigureBar label="Result of the replay" figures={leadFigures(draft, isDraft ? saved : null, version)} />
        </div>
      )}
      <div className="rules-market-bar">
        <MarketFields offer={offer} timeframe={document.defaults.timeframe} />
        {props.differences === null || !isDraft ? null : <Walk {...props} differences={props.differences} />}
      </div>
      <State {...props} />
      {draft === null || histories.history === null ? null : <Chart {...props} draft={draft} isLate={isLate} />}
    </CardPanel>
  );
}

/** Neither paper nor live: stored candles, and no order. */
export function ReplayBand({ draft }: { draft: ReplaySummary | null }) {
  const capital =
    draft === null || draft.capital === draft.stake ? '' : `, ${formatStake(draft.capital, draft.currency)} of capital for further entries`;
  const stake = draft === null ? '' : `, a test stake of ${formatStake(draft.stake, draft.currency)}${capital}`;
  return (
    <p className="fl-mode fl-mode-paper">
      <IconFlask size={13} aria-hidden />
      <strong>Replay</strong>
      <span>stored candles{stake}; no bot changes until you take a version to it</span>
    </p>
  );
}

function leadFigures(draft: ReplaySummary, saved: ReplaySummary | null, version: number | null) {
  const { currency, figures } = draft;
  const before = saved === null ? null : saved.figures;
  const by = before === null ? null : figures.netPnl - before.netPnl;
  const deeper = before === null ? 0 : figures.maxDrawdown - before.maxDrawdown;
  const more = before === null ? 0 : figures.trades - before.trades;
  const fallNote =
    toneOf(deeper, currency) === 'flat' ? {} : { note: `${formatMoney(Math.abs(deeper), currency)} ${deeper > 0 ? 'deeper' : 'less'}` };
  return [
    ...(before === null
      ? []
      : [{ name: `Net PNL, version ${version}`, value: formatPnl(before.netPnl, currency), tone: toneOf(before.netPnl, currency) }]),
    {
      name: before === null && version !== null ? `Net PNL, version ${version}` : 'Net PNL, draft',
      value: formatPnl(figures.netPnl, currency),
      tone: toneOf(figures.netPnl, currency),
      isLead: true,
      ...(by === null ? {} : { note: formatPnl(by, currency) }),
    },
    { name: 'Max Drawdown', value: formatMoney(figures.maxDrawdown, currency), ...fallNote },
    { name: 'Trades', value: String(figures.trades), ...(more === 0 ? {} : { note: `${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'}` }) },
  ];
}

/** What stands in the way of a result, if anything. */
function State({ document, offer, histories, replay, faultCount, isBroken, onRetry }: ResultProps) {
  const { market } = offer;
  if (isBroken)
    return <Failed text="The calculation could not be started in this browser." detail={null} isLoading={false} onRetry={onRetry} />;
  if (offer.hasFailed) return <Failed text="The pairs could not be loaded." detail={null} isLoading={false} onRetry={offer.reload} />;
  if (histories.error !== null)
    return (
      <Failed text="The candles could not be loaded." detail={histories.error} isLoading={histories.isLoading} onRetry={histories.reload} />
    );
  if (faultCount > 0)
    return (
      <p className="rules-state" role="status">
        {faultCount === 1 ? 'The draft has a fault' : `The draft has ${faultCount} faults`}: it is replayed again once{' '}
        {faultCount === 1 ? 'it is' : 'they are'} mended.
      </p>
    );
  if (replay.fault !== null)
    return (
      <p className="rules-state" role="status">
        {replay.fault}
      </p>
    );
  if (histories.names === null) {
    const what =
      market === null
        ? 'the pairs'
        : `${daysAt(document.defaults.timeframe, market.days)} days of ${document.defaults.timeframe} candles of ${market.symbol}`;
    return (
      <div className="rules-waiting" role="status" style={{ minHeight: chartHeight }}>
        <p>Loading {what}...</p>
        <p className="rules-dim">
          What this server does not have yet is downloaded from the exchange, which may take minutes the first time.
        </p>
      </div>
    );
  }
  if (replay.draft === null)
    return (
      <div className="rules-waiting" role="status" style={{ minHeight: chartHeight }}>
        <p>Calculating...</p>
      </div>
    );
  if (replay.draft.noTrades !== null)
    return (
      <p className="rules-state" role="status">
        {replay.draft.noTrades}
      </p>
    );
  return replay.draft.stopped === null ? null : (
    <p className="rules-state" role="status">
      {replay.draft.stopped}
    </p>
  );
}

function Failed(props: { text: string; detail: string | null; isLoading: boolean; onRetry: () => void }) {
  return (
    <div className="rules-inset">
      <FailedLoad {...props} />
    </div>
  );
}

function Walk({ differences, chosen, onWalk, replay }: ResultProps & { differences: TradeDifferences }) {
  const { list } = differences;
  const each = chosen === null ? undefined : list[chosen];
  if (list.length === 0) return <span className="rules-dim rules-walk">the same trades</span>;
  return (
    <div className="rules-walk">
      {each === undefined ? null : <span className="fl-number">{differenceText(each, replay.draft?.currency ?? 'USDT')}</span>}
      <span className="fl-number">
        change <b className="rules-strong">{chosen === null ? '—' : chosen + 1}</b> of {list.length}
      </span>
      <Button size="small" variant="secondary" aria-label="Previous change" title="Key [" onClick={() => onWalk(-1)}>
        <IconChevronLeft size={13} aria-hidden />
      </Button>
      <Button size="small" variant="secondary" aria-label="Next change" title="Key ]" onClick={() => onWalk(1)}>
        <IconChevronRight size={13} aria-hidden />
      </Button>
    </div>
  );
}

/** '2026-09-28 13:30, added, roi +$2.49'. */
function differenceText({ kind, trade }: TradeDifference, currency: string): string {
  const words = { added: 'added', removed: 'removed, was', changed: 'other result' } as const;
  return `${formatMoment(trade.openTime).slice(0, 16)}, ${words[kind]}, ${testedExitWords(trade.exitReason)} ${formatPnl(trade.profit, currency)}`;
}

/** How many lines of the rules are drawn over the candles. */
const mostLines = 4;

function Chart(props: ResultProps & { draft: ReplaySummary; isLate: boolean }) {
  const { document, rows, selected, histories, replay, differences, draft, chosen, isDraft, isLate, cursor, cursorText, onCursor } = props;
  const { history } = histories;
  const { held } = replay;
  const { timeframe } = document.defaults;
  const stepMs = held?.stepMs ?? timeframeLengths[timeframe];
  const { startTime } = draft;
  const candles = useMemo(
    () => (history === null ? [] : replayCandles(history.candles, startTime, history.to, stepMs)),
    [history, startTime, stepMs],
  );
  const list = stripList(document, selected);
  const trades = useMemo(
    () => drawnTrades(draft.trades, isDraft && differences !== null ? differences.list : []),
    [draft, differences, isDraft],
  );
  // Where conditions held is of the document that was replayed: the lines of a newer one may be others.
  const strips = useMemo(
    () => (held === null || replay.heldOf !== document ? null : stripsOf(document, rows, held, list)),
    [held, replay.heldOf, document, rows, list],
  );
  const [kept, setKept] = useState(strips);
  if (strips !== null && strips !== kept) setKept(strips);
  const lines = useMemo(() => linesOf(held?.lines ?? [], candles), [held, candles]);
  const each = chosen === null || differences === null ? undefined : differences.list[chosen];
  const chosenTrade = useMemo(() => (each === undefined ? null : drawn(each.trade, each.kind)), [each]);
  return (
    <div className={isLate && props.faultCount > 0 ? 'rules-late' : ''}>
      <ReplayChart
        label="Candles with the trades of the replay"
        candles={candles}
        stepMs={stepMs}
        priceTick={history?.instrument.priceTick ?? null}
        trades={trades}
        chosen={chosenTrade}
        lines={lines}
        firstTime={held?.firstTime ?? startTime}
        strips={strips ?? kept ?? []}
        cursor={cursor}
        onCursor={onCursor}
      />
      <CursorLine
        document={document}
        rows={rows}
        held={replay.heldOf === document ? held : null}
        list={list}
        cursor={cursor}
        timeText={cursorText}
      />
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

/** The lines that have the size of the price, which alone can be drawn over candles. */
function linesOf(all: readonly { name: string; values: Float64Array }[], candles: readonly { low: number; high: number }[]): ReplayLine[] {
  const last = candles.at(-1);
  if (last === undefined) return [];
  return all
    .filter(({ values }) => {
      const value = values.at(-1) ?? NaN;
      return value > last.low / 2 && value < last.high * 2;
    })
    .slice(0, mostLines)
    .map(({ name, values }, i) => ({ name, values, color: indicatorColor(i) }));
}
