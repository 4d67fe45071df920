import { IconEqual, IconFlask, IconInfoCircle } from '@tabler/icons-react';
import { dayMs } from '#engine/market/durations.ts';
import type { ReactNode } from 'react';
import { memo, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { chartHeight } from '../../chart/chart-style.ts';
import { ReplayEquity } from '../../chart/replay-equity.tsx';
import { canCreateBots } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { detailOf } from '../../api/api-error.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { FigureBar } from '../../ui/figure-bar.tsx';
import { decimalsOf, formatMoney, formatPnl, toneOf } from '../../ui/money.ts';
import { showToast } from '../../ui/toast.ts';
import { deeperText, figureRows } from './figure-rows.ts';
import type { WhatIfSetup } from './replay/messages.ts';
import { type Candles, nameOf, useCandles } from './replay/use-candles.ts';
import { type FollowedReplays, type Replays, useReplays } from './replay/use-replays.ts';
import { changesOf, realFee, sliderGroups, type Turned } from './slider-list.ts';
import { Sliders } from './sliders.tsx';
import { TradedCandles } from './traded-candles.tsx';
import { useTries } from './tries.ts';
import { turnedSettings, type UseForBot } from './use-for-bot.ts';
import { openSearchOf } from './search-of-replay.ts';
import { verdictOf } from './verdict.ts';

/** See `WhatIfReplay`. */
export interface WhatIfReplayProps {
  setup: WhatIfSetup;
  tools: ReactNode; // what else can be looked at
  onUseForBot: UseForBot;
}

const noTurned: Turned = {};

/** One setup replayed with whatever is turned: figures, trades and equity beside those of the real settings. */
export function WhatIfReplay({ setup, tools, onUseForBot }: WhatIfReplayProps) {
  const [turned, setTurned] = useState<Turned>(noTurned);
  const [chosen, setChosen] = useState<string | null>(null);
  const candles = useCandles(setup);
  const changes = useMemo(() => changesOf(turned), [turned]);
  const replays = useReplays(setup, candles, changes);
  useTook(turned, replays.report);
  const { real } = replays;
  const isTurned = Object.keys(turned).length > 0;
  // What was turned back is what is real, also before it is replayed.
  const whatIf = isTurned ? (replays.report ?? real) : real;
  const symbol = chosen ?? setup.pairs[0] ?? '';
  const history = candles.all?.histories.get(nameOf({ symbol, timeframe: setup.timeframe })) ?? null;
  const instrument = history?.instrument ?? null;
  const fee = instrument === null ? null : realFee(setup.settings as unknown as Parameters<typeof realFee>[0], instrument);
  const groups = useMemo(() => (fee === null ? [] : sliderGroups(setup, fee)), [setup, fee]);
  const place = `${setup.run ?? setup.bot?.id} ${daysOf(setup)}`;
  const tries = useTries(place, turned);
  const { forget } = replays;
  const change = (next: Turned): void => {
    setTurned(next);
    if (Object.keys(next).length === 0) forget();
  };
  const onTurn = (key: string, value: number | null): void => {
    const others = Object.fromEntries(Object.entries(turned).filter(([name]) => name !== key));
    change(value === null ? others : { ...others, [key]: value });
  };
  return (
    <>
      <Head setup={setup} replays={replays} whatIf={whatIf} isTurned={isTurned} tools={tools} />
      {replays.refused.length === 0 ? null : (
        <Banner
          tone="warning"
          text="These settings contradict each other: the last that could be replayed are shown."
          detail={replays.refused.join(' ')}
        />
      )}
      <div className="wi-columns">
        <div className="wi-left">
          {real === null || whatIf === null || history === null ? (
            <Waiting setup={setup} candles={candles} replays={replays} />
          ) : (
            <>
              <TradedCandles
                setup={setup}
                history={history}
                symbol={symbol}
                real={real.trades}
                whatIf={whatIf.trades}
                onSymbol={setChosen}
              />
              <div className="wi-two">
                <Figures setup={setup} real={real} whatIf={whatIf} isTurned={isTurned} />
                <Equity whatIf={whatIf.equity} real={isTurned ? real.equity : none} currency={setup.currency} />
              </div>
            </>
          )}
          {real === null || whatIf === null ? null : (
            <Verdict setup={setup} real={real} whatIf={whatIf} turned={turned} tries={tries} onUseForBot={onUseForBot} />
          )}
        </div>
        <div className="wi-right">
          <Sliders groups={groups} turned={turned} onTurn={onTurn} onBack={() => change(noTurned)} foot={footOf(setup, candles, replays)} />
          {real === null || whatIf === null ? null : <InSight real={real} whatIf={whatIf} currency={setup.currency} />}
        </div>
      </div>
    </>
  );
}

const none: [] = [];

function daysOf({ from, to }: WhatIfSetup): number {
  return Math.round((to - from) / dayMs);
}

/** As high as the table of figures beside it, in px. */
const equityHeight = 252;

type Report = NonNullable<Replays['real']>;

interface HeadProps {
  setup: WhatIfSetup;
  replays: Replays;
  whatIf: Report | null;
  isTurned: boolean;
  tools: ReactNode;
}

/** What is replayed, and what it comes to in a line. */
function Head({ setup, replays, whatIf, isTurned, tools }: HeadProps) {
  const { currency, bot } = setup;
  const { real } = replays;
  return (
    <section className="fl-panel" aria-label="Replay">
      <p className="fl-mode fl-mode-paper">
        <IconFlask size={13} aria-hidden />
        <strong>Replay</strong>
        <span>
          {bot === null
            ? 'on stored candles: nothing here reaches a bot'
            : `on stored candles with the settings of now: nothing here reaches the bot`}
        </span>
      </p>
      <div className="wi-about">
        <p>
          <b>{setup.title}</b>
          <span className="wi-dim">
            {bot === null ? '' : `, settings version ${bot.version}, ${setup.strategy.name}`}
            {setup.is_portfolio || bot !== null ? `, ${setup.pairs.length === 1 ? setup.pairs[0] : `${setup.pairs.length} pairs`}` : ''}
            {bot === null ? `, ${daysOf(setup)} days` : `, ${setup.timeframe}`}
          </span>
        </p>
        <div className="wi-tools">{tools}</div>
      </div>
      {real === null || whatIf === null ? null : (
        <FigureBar
          label="Result of the replay"
          figures={[
            {
              name: 'Net PNL, real settings',
              value: formatPnl(real.figures.netPnl, currency),
              tone: toneOf(real.figures.netPnl, currency),
            },
            {
              name: 'Net PNL, what if',
              value: formatPnl(whatIf.figures.netPnl, currency),
              tone: toneOf(whatIf.figures.netPnl, currency),
              isLead: true,
              ...(isTurned ? { note: formatPnl(whatIf.figures.netPnl - real.figures.netPnl, currency) } : {}),
            },
            {
              name: 'Max Drawdown',
              value: formatMoney(whatIf.figures.maxDrawdown, currency),
              ...(isTurned ? { note: deeperText(whatIf.figures.maxDrawdown - real.figures.maxDrawdown, currency) } : {}),
            },
            { name: 'Trades', value: String(whatIf.figures.trades), ...countNote(whatIf.figures.trades - real.figures.trades) },
            { name: 'Same numbers as the server', value: <Fingerprint setup={setup} replays={replays} /> },
          ]}
        />
      )}
      <Findings setup={setup} replays={replays} whatIf={whatIf} />
    </section>
  );
}

/** What it comes to, beside the slider that a finger moves: on a phone the figures above are out of sight then. */
function InSight({ real, whatIf, currency }: { real: Report; whatIf: Report; currency: string }) {
  const by = whatIf.figures.netPnl - real.figures.netPnl;
  return (
    <p className="wi-in-sight fl-number" aria-hidden>
      <span>
        Net PNL <b className={`fl-${toneOf(whatIf.figures.netPnl, currency)}`}>{formatPnl(whatIf.figures.netPnl, currency)}</b>
      </span>
      <span className={`fl-${toneOf(by, currency)}`}>{formatPnl(by, currency)}</span>
      <span>
        Trades <b>{whatIf.figures.trades}</b>
      </span>
    </p>
  );
}

function countNote(by: number): { note?: string } {
  return by === 0 ? {} : { note: `${Math.abs(by)} ${by > 0 ? 'more' : 'fewer'}` };
}

/** Whether the replay without changes has the trades that the server has calculated. */
function Fingerprint({ setup, replays: { real, serverFingerprint, serverFault } }: { setup: WhatIfSetup; replays: Replays }) {
  if (real === null) return null;
  const short = `${real.fingerprint.slice(0, 4)} ${real.fingerprint.slice(4, 8)}`;
  if (setup.source === null && setup.fingerprint === null) return <span className="fl-number">{short}, from the server</span>;
  if (serverFault !== null) return <span className="wi-dim">not compared</span>;
  if (serverFingerprint === null) return <span className="wi-dim">asking the server</span>;
  if (serverFingerprint !== real.fingerprint) return <span className="fl-down">no, see below</span>;
  return (
    <span className="fl-number wi-equal" title={real.fingerprint}>
      <IconEqual size={13} aria-hidden /> {short}
      <span className="fl-visually-hidden"> equal</span>
    </span>
  );
}

/** What has to be said of the numbers before anybody goes by them. */
function Findings({ setup, replays, whatIf }: { setup: WhatIfSetup; replays: Replays; whatIf: Report | null }) {
  const { real, serverFingerprint, serverFault } = replays;
  const isOther = real !== null && serverFingerprint !== null && serverFingerprint !== real.fingerprint;
  const lines = [
    ...(setup.source_note === null ? [] : [setup.source_note]),
    ...(serverFault === null ? [] : [`The server has not calculated this for comparison: ${serverFault}`]),
    ...(isOther && setup.run !== null
      ? [
          'With the real settings this replay has other trades than the run had: the settings of its strategy or the candles have changed since, or another version of Flotilla has made it.',
        ]
      : []),
    ...(isOther && setup.run === null
      ? ['With the real settings this browser has other trades than the server. Do not go by these numbers.']
      : []),
    ...[whatIf?.noTrades ?? null, whatIf?.stopped ?? null].filter((line) => line !== null),
  ];
  return lines.length === 0 ? null : (
    <div className="wi-findings">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

/** What stands in the way of a result. */
function Waiting({ setup, candles, replays }: { setup: WhatIfSetup; candles: Candles; replays: FollowedReplays }) {
  if (candles.error !== null)
    return (
      <section className="fl-panel wi-inset" aria-label="Trades">
        <FailedLoad text="The candles could not be loaded" detail={candles.error} isLoading={candles.isLoading} onRetry={candles.retry} />
      </section>
    );
  if (replays.fault !== null)
    return (
      <section className="fl-panel wi-inset" aria-label="Trades">
        <FailedLoad text="The replay has failed" detail={replays.fault} isLoading={false} onRetry={replays.retry} />
      </section>
    );
  const isLoading = candles.all === null && replays.waiting === null;
  return (
    <section className="fl-panel" aria-label="Trades">
      <div className="wi-waiting" role="status" style={{ minHeight: chartHeight }}>
        <p>
          {isLoading
            ? `Loading the candles of ${setup.pairs.length === 1 ? setup.pairs[0] : `${setup.pairs.length} pairs (${candles.loaded} of ${candles.wanted} are there)`}...`
            : (replays.waiting ?? 'Calculating...')}
        </p>
        {isLoading ? (
          <p className="wi-dim">
            What this server does not have yet is downloaded from the exchange, which may take minutes the first time.
          </p>
        ) : null}
      </div>
    </section>
  );
}

/** How long a replay took, over how many candles, and where. */
function footOf(setup: WhatIfSetup, { all }: Candles, { tookMs }: Replays): string | null {
  if (tookMs === null || all === null) return null;
  let count = 0;
  for (const { candles } of all.histories.values()) count += candles.openTime.length;
  const took = tookMs < 10 ? tookMs.toFixed(1) : String(Math.round(tookMs));
  return `${took} ms for ${count.toLocaleString('en-US')} candles ${setup.source === null ? 'on the server' : 'in this browser'}`;
}

/** The figures of both. */
function Figures({ setup, real, whatIf, isTurned }: { setup: WhatIfSetup; real: Report; whatIf: Report; isTurned: boolean }) {
  const rows = figureRows(real.figures, whatIf.figures, setup.currency);
  return (
    <CardPanel title="Figures" aside="after fees and funding, closed trades" flush>
      <table className="wi-figures" aria-label="Figures">
        <thead>
          <tr>
            <th>{setup.bot === null ? `${daysOf(setup)} days` : `Last ${daysOf(setup)} days`}</th>
            <th className="fl-numeric">Real Settings</th>
            <th className="fl-numeric">What If</th>
            <th className="fl-numeric">Difference</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, real: was, whatIf: is, difference, tone }) => (
            <tr key={name}>
              <td>{name}</td>
              <td className="fl-numeric">{was}</td>
              <td className="fl-numeric wi-strong">{is}</td>
              <td className={`fl-numeric fl-${isTurned ? tone : 'flat'}`}>{isTurned ? difference : '—'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </CardPanel>
  );
}

type Curve = Report['equity'];

/** The equity of both; its thousands of points are drawn when the trades have been. */
function Equity(newest: { whatIf: Curve; real: Curve; currency: string }) {
  const whatIf = useDeferredValue(newest.whatIf);
  const real = useDeferredValue(newest.real);
  return (
    <CardPanel
      title="Equity"
      aside={
        <>
          <span>━ what if</span>
          <span>╍ real</span>
        </>
      }
      flush
    >
      <EquityChart
        label="Equity of both"
        draft={whatIf}
        saved={real}
        hold={none}
        height={equityHeight}
        decimals={decimalsOf(newest.currency)}
      />
    </CardPanel>
  );
}

const EquityChart = memo(ReplayEquity);

interface VerdictProps {
  setup: WhatIfSetup;
  real: Report;
  whatIf: Report;
  turned: Turned;
  tries: number;
  onUseForBot: UseForBot;
}

/** What the change is worth, in words, and the way to a bot. */
function Verdict({ setup, real, whatIf, turned, tries, onUseForBot }: VerdictProps) {
  const user = useUser();
  const [isBusy, setIsBusy] = useState(false);
  const isTurned = Object.keys(turned).length > 0;
  const mayUse = setup.bot === null ? setup.run !== null && canCreateBots(user) : setup.bot.may_configure;
  const ready = useMemo(() => (isTurned ? turnedSettings(setup, turned) : null), [setup, turned, isTurned]);
  const words = isTurned
    ? verdictOf(real, whatIf, tries)
    : {
        title: 'Turn a setting to see what it would have changed.',
        text: 'The same candles, the same signals where no parameter changes, and the same rules as every backtest.',
      };
  const use = async (): Promise<void> => {
    if (ready === null) return;
    setIsBusy(true);
    try {
      await onUseForBot(ready);
    } catch (error) {
      showToast('error', detailOf(error) ?? 'The form of the bot could not be opened');
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <section className="fl-panel wi-verdict" aria-label="How much this proves">
      <IconInfoCircle size={16} aria-hidden />
      <div role="status">
        <h2>{words.title}</h2>
        <p>{words.text}</p>
        {mayUse ? null : (
          <p>
            {setup.bot === null
              ? 'Traders and admins can use settings for a bot.'
              : 'Only its owner and admins can use settings for this bot.'}
          </p>
        )}
      </div>
      <Button
        variant="secondary"
        title="Fills in a study of this strategy, these pairs and this time; nothing is begun"
        onClick={() => openSearchOf(setup)}
      >
        Test in Optimization
      </Button>
      {mayUse ? (
        <Button
          variant="secondary"
          loading={isBusy}
          disabled={ready === null}
          title={
            setup.bot === null
              ? 'Opens the form of a new bot with these settings; nothing is saved yet'
              : 'Opens the form of the bot with these settings; nothing is saved yet'
          }
          onClick={() => void use()}
        >
          Use for Bot
        </Button>
      ) : null}
    </section>
  );
}

/** The name of the measurement that is left with the browser for each change, e.g. for a benchmark. */
const measureName = 'what-if: change to trades';

/** Notes how long it took from the last change until its trades were drawn. */
function useTook(turned: Turned, report: Report | null): void {
  const since = useRef(0);
  useLayoutEffect(() => {
    since.current = performance.now();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- each change is timed
  }, [turned]);
  useEffect(() => {
    if (report === null) return undefined;
    // The chart has been given the trades by now, and draws them in the next frame.
    const frame = requestAnimationFrame(() => performance.measure(measureName, { start: since.current }));
    return () => cancelAnimationFrame(frame);
  }, [report]);
}
