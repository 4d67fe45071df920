import type { RulesDocument } from '#engine/rules/document.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { wordsOf } from '#engine/rules/words.ts';
import type { StrategyKind } from '#engine/strategy/strategy.ts';
import { IconInfoCircle } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { formatMoney, formatPnl, toneOf } from '../../../ui/money.ts';
import { formatOptionalRatio } from '../../../ui/ratio.ts';
import { ruleRows } from '../edit/rule-rows.ts';
import { daysAt } from '../replay/market-choice.ts';
import type { Market, MarketOffer } from '../replay/use-market.ts';
import { MarketFields } from '../result/market-fields.tsx';
import type { TemplateFigures } from './use-template-figures.ts';
import { useTemplateFigures } from './use-template-figures.ts';
import { TableScroll } from '../table-scroll.tsx';

type Template = readonly [name: string, document: RulesDocument];

const templates: readonly Template[] = Object.entries(rulesTemplates);

/** Those of few candles first: their figures need not wait for the many. */
const timeframes = [...new Set(templates.map(([, { defaults }]) => defaults.timeframe))].toSorted(
  (a, b) => timeframeLengths[b] - timeframeLengths[a],
);

const kinds = [...new Set(templates.map(([, { kind }]) => kind))];

/** Rules to start from: each in words, with when it loses and what its last days came to. */
export function TemplatesPanel({
  offer,
  mayMake,
  onStart,
}: {
  offer: MarketOffer;
  mayMake: boolean;
  onStart: (document: RulesDocument) => void;
}) {
  const [kind, setKind] = useState<StrategyKind | null>(null);
  const [isTable, setTable] = useState(false);
  const [found, setFound] = useState<{ market: string; figures: ReadonlyMap<string, TemplateFigures> }>({ market: '', figures: new Map() });
  const marketName = JSON.stringify(offer.market);
  const onFigures = useCallback(
    (name: string, figures: TemplateFigures) =>
      setFound((before) => ({
        market: marketName,
        figures: new Map(before.market === marketName ? before.figures : []).set(name, figures),
      })),
    [marketName],
  );
  const figures = found.market === marketName ? found.figures : new Map<string, TemplateFigures>();
  const shown = templates.filter(([, document]) => kind === null || document.kind === kind);
  return (
    <section className="rules-stack" aria-label="Templates">
      {timeframes.map((timeframe) => (
        <Replays key={timeframe} market={offer.market} timeframe={timeframe} onFigures={onFigures} />
      ))}
      <div className="rules-templates-head">
        <h2>Templates</h2>
        <MarketFields offer={offer} timeframe="5m" />
        <div className="rules-kinds" role="group" aria-label="Kind of template">
          {[null, ...kinds].map((each) => (
            <button key={each ?? 'all'} type="button" aria-pressed={kind === each} onClick={() => setKind(each)}>
              {each === null ? 'All' : each}{' '}
              <span className="fl-number">{templates.filter(([, document]) => each === null || document.kind === each).length}</span>
            </button>
          ))}
        </div>
      </div>
      {isTable ? (
        <SideBySide shown={shown} figures={figures} market={offer.market} />
      ) : (
        <ul className="rules-templates">
          {shown.map(([name, document]) => (
            <Card
              key={name}
              document={document}
              figures={figures.get(name)}
              market={offer.market}
              mayMake={mayMake}
              onStart={() => onStart(document)}
            />
          ))}
        </ul>
      )}
      <div className="rules-templates-note" role="note">
        <IconInfoCircle size={16} aria-hidden />
        <div>
          <b>A template and the built-in strategy of the same name give the same trades.</b>
          <p>
            None is a promise of profit{lostText([...figures.values()])}. Change one, and the page shows at once whether your change made it
            better.
          </p>
        </div>
        <Button size="small" variant="secondary" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show them as cards' : 'Show them side by side'}
        </Button>
      </div>
    </section>
  );
}

/** Replays the templates of one timeframe; draws nothing. */
function Replays({
  market,
  timeframe,
  onFigures,
}: {
  market: Market | null;
  timeframe: Timeframe;
  onFigures: (name: string, figures: TemplateFigures) => void;
}) {
  const own = useMemo(() => templates.filter(([, { defaults }]) => defaults.timeframe === timeframe), [timeframe]);
  useTemplateFigures(market, timeframe, own, onFigures);
  return null;
}

/** ': 3 of the 10 lost money in these days, with a test stake of $300.00'. */
function lostText(all: readonly TemplateFigures[]): string {
  const known = all.filter((each) => typeof each === 'object' && each !== null);
  const [first] = known;
  if (first === undefined) return '';
  const lost = known.filter(({ figures, currency }) => toneOf(figures.netPnl, currency) === 'down').length;
  return `: ${lost} of ${known.length} lost money in these days, with a test stake of ${formatMoney(first.stake, first.currency)}`;
}

function Card({
  document,
  figures,
  market,
  mayMake,
  onStart,
}: {
  document: RulesDocument;
  figures: TemplateFigures;
  market: Market | null;
  mayMake: boolean;
  onStart: () => void;
}) {
  const conditions = ruleRows(document).filter(({ rule }) => !('rules' in rule)).length;
  const parameters = Object.keys(document.parameters).length;
  return (
    <li className="fl-panel rules-template" aria-label={document.title}>
      <div className="rules-template-head">
        <h3>{document.title}</h3>
        <span className="fl-tag rules-kind">{document.kind}</span>
      </div>
      <p className="rules-clamp" title={longWords(document)}>
        {longWords(document)}
      </p>
      <p className="rules-clamp rules-dim" title={document.losesWhen}>
        {document.losesWhen}
      </p>
      <p className="rules-template-days">
        <span className="rules-dim">{placeText(document, market)}</span>
        <DaysText figures={figures} />
      </p>
      <div className="rules-template-foot">
        <span className="rules-dim">
          {conditions} {conditions === 1 ? 'condition' : 'conditions'}, {parameters} {parameters === 1 ? 'parameter' : 'parameters'}
        </span>
        {mayMake ? (
          <Button size="small" variant="secondary" aria-label={`Start from this: ${document.title}`} onClick={onStart}>
            Start from this
          </Button>
        ) : null}
      </div>
    </li>
  );
}

/** How it goes long, in words; the shorts are most often the mirror image. */
function longWords(document: RulesDocument): string {
  return wordsOf({ ...document, enterShort: [], exitShort: [] }).join(' ');
}

/** 'ETH/USDT:USDT, 90 days of 5m'. */
function placeText({ defaults: { timeframe } }: RulesDocument, market: Market | null): string {
  return market === null ? '' : `${market.symbol}, ${daysAt(timeframe, market.days)} days of ${timeframe}`;
}

function DaysText({ figures }: { figures: TemplateFigures }) {
  if (figures === undefined) return <span className="rules-dim">calculating...</span>;
  if (figures === null) return <span className="rules-dim">too few candles</span>;
  if (typeof figures === 'string') return <span className="rules-dim">{figures}</span>;
  const { netPnl, trades } = figures.figures;
  return (
    <span className="fl-number">
      <b className={`fl-${toneOf(netPnl, figures.currency)}`}>{formatPnl(netPnl, figures.currency)}</b> {trades}{' '}
      {trades === 1 ? 'trade' : 'trades'}
    </span>
  );
}

function SideBySide({
  shown,
  figures,
  market,
}: {
  shown: readonly Template[];
  figures: ReadonlyMap<string, TemplateFigures>;
  market: Market | null;
}) {
  return (
    <CardPanel title="Side by side" aside={market?.symbol ?? ''} flush>
      <TableScroll label="Templates side by side">
        <table className="rules-table" aria-label="Templates side by side">
          <thead>
            <tr>
              <th>Template</th>
              <th>Days</th>
              <th className="fl-numeric">Net PNL</th>
              <th className="fl-numeric">Trades</th>
              <th className="fl-numeric">Win rate</th>
              <th className="fl-numeric">Max drawdown</th>
              <th className="fl-numeric">Worst trade</th>
              <th className="fl-numeric">Fees</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(([name, document]) => {
              const found = figures.get(name);
              return (
                <tr key={name}>
                  <td>{document.title}</td>
                  <td className="rules-dim rules-one-line">
                    {market === null ? '' : `${daysAt(document.defaults.timeframe, market.days)} of ${document.defaults.timeframe}`}
                  </td>
                  {typeof found !== 'object' || found === null ? (
                    <td colSpan={6} className="fl-numeric">
                      <DaysText figures={found} />
                    </td>
                  ) : (
                    <>
                      <td className={`fl-numeric fl-${toneOf(found.figures.netPnl, found.currency)}`}>
                        {formatPnl(found.figures.netPnl, found.currency)}
                      </td>
                      <td className="fl-numeric">{found.figures.trades}</td>
                      <td className="fl-numeric">{formatOptionalRatio(found.figures.winRate)}</td>
                      <td className="fl-numeric">{formatMoney(found.figures.maxDrawdown, found.currency)}</td>
                      <td className="fl-numeric">
                        {found.figures.worstTrade === null ? '—' : formatPnl(found.figures.worstTrade, found.currency)}
                      </td>
                      <td className="fl-numeric">{formatMoney(found.figures.fees, found.currency)}</td>
                    </>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableScroll>
    </CardPanel>
  );
}
