import type { RulesDocument } from '#engine/rules/document.ts';
import { useEffect, useMemo, useState } from 'react';
import { messageOf } from '../../../api/api-error.ts';
import { cancelledWords } from '../../../live/cancelled-words.ts';
import { isAbort } from '../../../live/until-aborted.ts';
import { canControlBot } from '../../../session/permissions.ts';
import { useUser } from '../../../session/use-session.ts';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { FailedLoad } from '../../../ui/failed-load.tsx';
import { ModeTag } from '../../../ui/mode-tag.tsx';
import { formatMoney, formatPnl, toneOf } from '../../../ui/money.ts';
import { formatOptionalRatio } from '../../../ui/ratio.ts';
import { LoadingRows } from '../../../ui/skeleton.tsx';
import { showToast } from '../../../ui/toast.ts';
import { documentChanges } from '../edit/changes.ts';
import type { MarketNames } from '../replay/messages.ts';
import { useReplayDesk } from '../replay/replay-desk.ts';
import type { ReplaySummary } from '../replay/replay-summary.ts';
import type { RulesState, RuleStrategy, UsingBot } from '../use-rules.ts';
import { useRuleVersion } from '../use-rules.ts';

/** How far back both versions are replayed. */
const comparedDays = 30;

/** See `UsingBots`. */
export interface UsingBotsProps {
  strategy: RuleStrategy;
  state: Pick<RulesState, 'take' | 'cancelTake'>;
  market: MarketNames | null; // that both versions are replayed on
  symbol: string | null;
}

/** The bots that use the rules, each with the version it runs; one that runs an older one takes the newest at a press, and never by itself. */
export function UsingBots(props: UsingBotsProps) {
  // A question is gone with the last of them, and does not come back by itself.
  return props.strategy.bots.length === 0 ? null : <Used {...props} />;
}

function Used({ strategy, state, market, symbol }: UsingBotsProps) {
  const user = useUser();
  const [compared, setCompared] = useState<string | null>(null);
  const [asked, setAsked] = useState<{ bot: UsingBot; version: number } | null>(null); // as both were shown: a save meanwhile is another question
  const [busy, setBusy] = useState<string | null>(null);
  const { bots, version: newest, name, document } = strategy;
  const take = async (bot: UsingBot, version: number) => {
    setBusy(bot.id);
    try {
      await state.take(bot, version);
      showToast('success', `${bot.nickname} runs version ${version} from the next candle on`);
    } catch (error) {
      const words = isAbort(error)
        ? cancelledWords(`The change of ${bot.nickname} to version ${version}`)
        : `${bot.nickname} did not take version ${version}: ${messageOf(error)}`;
      showToast('error', words);
    } finally {
      setBusy(null);
      setAsked(null);
    }
  };
  return (
    <CardPanel title="Used by" aside="no bot takes a newer version by itself" flush>
      <ul className="rules-bots" aria-label="Bots that use these rules">
        {bots.map((bot) => {
          const isOlder = bot.version !== newest;
          return (
            <li key={bot.id}>
              <div className="rules-bot">
                <b>{bot.nickname}</b>
                <ModeTag mode={bot.mode} exchangeId={bot.exchange_id} />
                <span className="fl-number">version {bot.version ?? '—'}</span>
                {isOlder && document !== null && bot.version !== null ? (
                  <Button
                    size="small"
                    variant="ghost"
                    aria-expanded={compared === bot.id}
                    onClick={() => setCompared(compared === bot.id ? null : bot.id)}
                  >
                    What differs
                  </Button>
                ) : null}
                {isOlder && canControlBot(user, bot) ? (
                  <Button
                    size="small"
                    variant="secondary"
                    className={bot.mode === 'live' ? 'rules-take-live' : ''}
                    aria-label={`Take version ${newest} for ${bot.nickname}`}
                    loading={busy === bot.id}
                    disabled={busy !== null}
                    onClick={() => (bot.mode === 'live' ? setAsked({ bot, version: newest }) : void take(bot, newest))}
                  >
                    Take version {newest}
                  </Button>
                ) : null}
              </div>
              {compared === bot.id && document !== null && bot.version !== null ? (
                <Comparison id={strategy.id} earlier={bot.version} version={newest} document={document} market={market} symbol={symbol} />
              ) : null}
            </li>
          );
        })}
      </ul>
      <ConfirmDialog
        opened={asked !== null}
        title="Take Version"
        message={`Have ${asked?.bot.nickname ?? ''} run version ${asked?.version ?? ''} of ${name}? It is live and runs version ${asked?.bot.version ?? ''}.`}
        confirmLabel={`Take Version ${asked?.version ?? ''}`}
        destructive
        loading={asked !== null && busy === asked.bot.id}
        note="Its open trades stay open; the new version decides from the next candle on."
        onConfirm={() => {
          if (asked !== null) void take(asked.bot, asked.version);
        }}
        onCancel={() => {
          if (busy === asked?.bot.id) state.cancelTake();
          setAsked(null);
        }}
      />
    </CardPanel>
  );
}

interface ComparisonProps {
  id: string;
  earlier: number;
  version: number;
  document: RulesDocument;
  market: MarketNames | null;
  symbol: string | null;
}

/** What two versions say differently, and what both would have done in the last days. */
function Comparison({ id, earlier, version, document, market, symbol }: ComparisonProps) {
  const query = useRuleVersion(id, earlier);
  const before = query.data?.document ?? null;
  if (query.isError)
    return (
      <FailedLoad
        text={`Version ${earlier} could not be loaded.`}
        detail={messageOf(query.error)}
        isLoading={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  if (query.data === undefined) return <LoadingRows label="Loading the version" rows={2} height={22} />;
  if (before === null)
    return <p className="rules-none">Version {earlier} was written by another version of the program and cannot be read.</p>;
  return (
    <div className="rules-comparison">
      <Changes before={before} after={document} />
      <BothFigures before={before} after={document} earlier={earlier} version={version} market={market} symbol={symbol} />
    </div>
  );
}

/** What one version says otherwise than another, as a list. */
export function Changes({ before, after }: { before: RulesDocument; after: RulesDocument }) {
  const changes = useMemo(() => documentChanges(before, after), [before, after]);
  if (changes.length === 0) return <p className="rules-none">They say the same.</p>;
  return (
    <ul className="rules-changes" aria-label="What differs">
      {changes.map(({ path, name, from, to }, i) => (
        <li key={`${i} ${path}`}>
          {name} <s>{from}</s> <span aria-label="becomes">→</span> <b>{to}</b>
        </li>
      ))}
    </ul>
  );
}

function BothFigures({
  before,
  after,
  earlier,
  version,
  market,
  symbol,
}: { before: RulesDocument; after: RulesDocument } & Omit<ComparisonProps, 'id' | 'document'>) {
  const desk = useReplayDesk();
  const [found, setFound] = useState<readonly (ReplaySummary | null | undefined)[]>([]);
  // Both on the candles of the newer one; with another timeframe the earlier one has none here.
  const isComparable = before.defaults.timeframe === after.defaults.timeframe;
  useEffect(() => {
    setFound([]);
    if (market === null || !isComparable) return undefined;
    return desk.figures(market, [before, after], comparedDays, (place, summary) =>
      setFound((known) => [0, 1].map((at) => (at === place ? summary : known[at]))),
    );
  }, [desk, market, before, after, isComparable]);
  if (!isComparable) return <p className="rules-dim">They trade different timeframes, so their figures are not compared here.</p>;
  return (
    <table className="rules-table" aria-label={`Both versions over ${comparedDays} days`}>
      <thead>
        <tr>
          <th>
            {symbol ?? ''}, {comparedDays} days
          </th>
          <th className="fl-numeric">Net PNL</th>
          <th className="fl-numeric">Trades</th>
          <th className="fl-numeric">Win rate</th>
          <th className="fl-numeric">Max drawdown</th>
        </tr>
      </thead>
      <tbody>
        {[earlier, version].map((number, i) => {
          const { [i]: summary } = found;
          return (
            <tr key={number}>
              <td>Version {number}</td>
              {summary === undefined || summary === null ? (
                <td colSpan={4} className="fl-numeric rules-dim">
                  {summary === null ? 'cannot be replayed here' : '…'}
                </td>
              ) : (
                <>
                  <td className={`fl-numeric fl-${toneOf(summary.figures.netPnl, summary.currency)}`}>
                    {formatPnl(summary.figures.netPnl, summary.currency)}
                  </td>
                  <td className="fl-numeric">{summary.figures.trades}</td>
                  <td className="fl-numeric">{formatOptionalRatio(summary.figures.winRate)}</td>
                  <td className="fl-numeric">{formatMoney(summary.figures.maxDrawdown, summary.currency)}</td>
                </>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
