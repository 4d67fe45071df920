import type { RulesDocument } from '#engine/rules/document.ts';
import { IconBolt, IconFlask } from '@tabler/icons-react';
import { chartHeight } from '../../../chart/chart-style.ts';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { FailedLoad } from '../../../ui/failed-load.tsx';
import { FigureBar } from '../../../ui/figure-bar.tsx';
import { formatMoney, formatPnl, formatStake, toneOf } from '../../../ui/money.ts';
import type { RuleRow } from '../edit/rule-rows.ts';
import { useRulesEditor } from '../editor/rules-editor.ts';
import { daysAt } from '../replay/market-choice.ts';
import { useReplayed } from '../replay/replay-store.ts';
import type { ReplaySummary } from '../replay/replay-summary.ts';
import type { Histories } from '../replay/use-histories.ts';
import type { MarketOffer } from '../replay/use-market.ts';
import { DifferenceWalk } from './difference-walk.tsx';
import { MarketFields } from './market-fields.tsx';
import { TradedCandles } from './traded-candles.tsx';

/** What the parts of the result are given besides the replay itself. */
export interface ResultProps {
  document: RulesDocument;
  selected: RuleRow | null;
  isDraft: boolean; // it says otherwise than the saved version
  version: number | null; // that is saved
  faultCount: number; // of the document, which is not replayed while it has some
  offer: MarketOffer;
  histories: Histories;
  readOnly: boolean;
  isBroken: boolean; // the worker could not be started
  onRetry: () => void;
}

/** The backtest of the draft, again with each edit: figures, candles with trades, and where each condition held. */
export function ReplayPanel(props: ResultProps) {
  const { document, selected, offer, histories, isDraft, version, faultCount } = props;
  const draft = useReplayed((replay) => replay.draft);
  const saved = useReplayed((replay) => replay.saved);
  const isLate = faultCount > 0;
  return (
    <CardPanel title={props.readOnly ? 'Backtest' : 'Backtest While You Edit'} aside={<Took />} flush>
      <ReplayBand draft={draft} />
      {draft === null ? null : (
        <div className={isLate ? 'rules-late' : ''}>
          <FigureBar label="Result of the replay" figures={leadFigures(draft, isDraft ? saved : null, version)} />
        </div>
      )}
      <div className="rules-market-bar">
        <MarketFields offer={offer} timeframe={document.defaults.timeframe} />
        {isDraft ? <DifferenceWalk /> : null}
      </div>
      <State {...props} />
      {draft === null || histories.history === null ? null : (
        <TradedCandles
          history={histories.history}
          selected={selected}
          isDraft={isDraft}
          isLate={isLate}
          timeframe={document.defaults.timeframe}
        />
      )}
    </CardPanel>
  );
}

function Took() {
  const tookMs = useReplayed((replay) => replay.tookMs);
  if (tookMs === null) return null;
  return (
    <span className="rules-took fl-number">
      <IconBolt size={13} aria-hidden /> {Math.round(tookMs)} ms in this browser
    </span>
  );
}

/** Neither paper nor live: stored candles, and no order. */
export function ReplayBand({ draft }: { draft: Pick<ReplaySummary, 'stake' | 'capital' | 'currency'> | null }) {
  const capital =
    draft === null || draft.capital === draft.stake ? '' : `, ${formatStake(draft.capital, draft.currency)} of capital for further entries`;
  const stake = draft === null ? '' : `, a test stake of ${formatStake(draft.stake, draft.currency)}${capital}`;
  return (
    <p className="fl-mode fl-mode-paper">
      <IconFlask size={13} aria-hidden />
      <strong>Replay</strong>
      <span>stored candles{stake}; no bot changes until somebody takes a version to it</span>
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
function State({ document, offer, histories, isDraft, version, faultCount, isBroken, onRetry }: ResultProps) {
  const { market } = offer;
  const whole = useRulesEditor()
    .faults.filter(({ path }) => path === '')
    .map(({ sentence }) => sentence);
  const draft = useReplayed((replay) => replay.draft);
  const fault = useReplayed((replay) => replay.fault);
  if (isBroken)
    return <Failed text="The calculation could not be started in this browser." detail={null} isLoading={false} onRetry={onRetry} />;
  if (offer.hasFailed) return <Failed text="The pairs could not be loaded." detail={null} isLoading={false} onRetry={offer.reload} />;
  if (histories.error !== null)
    return (
      <Failed text="The candles could not be loaded." detail={histories.error} isLoading={histories.isLoading} onRetry={histories.reload} />
    );
  if (faultCount > 0) return <Sentence text={whyNot(isDraft ? 'The draft' : `Version ${version}`, whole, faultCount - whole.length)} />;
  if (fault !== null) return <Sentence text={fault} />;
  if (histories.names === null) {
    const { timeframe } = document.defaults;
    const what = market === null ? 'the pairs' : `${daysAt(timeframe, market.days)} days of ${timeframe} candles of ${market.symbol}`;
    return (
      <div className="rules-waiting" role="status" style={{ minHeight: chartHeight }}>
        <p>Loading {what}...</p>
        <p className="rules-dim">
          What this server does not have yet is downloaded from the exchange, which may take minutes the first time.
        </p>
      </div>
    );
  }
  if (draft === null)
    return (
      <div className="rules-waiting" role="status" style={{ minHeight: chartHeight }}>
        <p>Calculating...</p>
      </div>
    );
  if (draft.noTrades !== null) return <Sentence text={draft.noTrades} />;
  return draft.stopped === null ? null : <Sentence text={draft.stopped} />;
}

/** Why rules with faults are not replayed. Those of all of them together stand here, as no piece is marked with them. */
function whyNot(what: string, whole: readonly string[], marked: number): string {
  if (whole.length > 0) {
    const others =
      marked === 0 ? '' : marked === 1 ? ' One more fault is marked where it is.' : ` ${marked} more faults are marked where they are.`;
    return `${what} is not replayed. ${whole.join(' ')}${others}`;
  }
  return marked === 1
    ? `${what} has a fault: it is replayed again once that is mended.`
    : `${what} has ${marked} faults: it is replayed again once they are mended.`;
}

function Sentence({ text }: { text: string }) {
  return (
    <p className="rules-state" role="status">
      {text}
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
