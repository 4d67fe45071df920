import { detailsWereRemoved, tradingModes } from '#contract/backtests.ts';
import type { CallReply } from '#contract/client.ts';
import { mostWhatIfCandles, runHasNoResult, whatIfOfWhat, whatIfOvertaken } from '#contract/what-if.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import { candlesOf, type WhatIfTerms } from '#engine/lab/what-if/terms.ts';
import { findBacktest } from '#storage/backtests/backtests.ts';
import { findResultParts } from '#storage/backtests/result-parts.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { findStrategyById, type StrategyView } from '#storage/strategies/strategies.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import { moduleText } from '#strategy-process/browser/module-text.ts';
import { posix } from 'node:path';
import { findSeenCode } from '#storage/strategies/seen-strategies.ts';
import { strategyOf } from '../bots/bot-trading.ts';
import { untilGone } from '../bots/until-gone.ts';
import { visibleBot } from '../bots/visible-bots.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { type Caller, mayChangeBotOf } from '../calls/caller.ts';
import { FileAnswer } from '../calls/file-answer.ts';
import { strategyReader } from '../calls/seen-strategy.ts';
import { declarationOf } from '../strategies/strategy-details.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { type KeptResult, keptResultOf, listsRead } from './real-fingerprint.ts';
import { moduleAddress, sourceFor } from './strategy-source.ts';
import type { ReplaySubject } from './what-if-question.ts';

type Setup = CallReply<'whatIf'>;

/** What a caller asks about. */
interface Asked {
  run?: string | undefined;
  bot?: string | undefined;
  days?: number | undefined;
  to?: number | undefined;
}

/** What was asked about, with what is said of it; a run with what is kept of it. */
type Found = { title: string } & (
  | { subject: Extract<ReplaySubject, { run: unknown }>; kept: KeptResult; bot: null }
  | { subject: Extract<ReplaySubject, { bot: unknown }>; kept: null; bot: BotView }
);

/** The days of a bot where none are named. */
const defaultDays = 90;

/** Replays of runs and bots with other settings: what browsers need for them, and what the server calculates itself. */
export function whatIfHandlers(dependencies: ServerDependencies): Pick<Handlers, 'whatIf' | 'whatIfAnswer' | 'strategyModule'> {
  const { db, whatIf, programModules } = dependencies;

  const found = async (caller: Caller, { run: runId, bot: botId, days = defaultDays, to }: Asked): Promise<Found> => {
    if ((runId === undefined) === (botId === undefined)) throw new HttpError(400, whatIfOfWhat);
    return runId === undefined ? botOf(caller, botId ?? '', days, to) : runOf(caller, runId);
  };

  const runOf = async (caller: Caller, id: string): Promise<Found> => {
    const run = await findBacktest(db, id);
    if (run === null || (caller.role !== 'admin' && run.userId !== caller.id)) throw new HttpError(404, 'Backtest not found');
    if (run.detailsRemovedAt !== null) throw new HttpError(409, detailsWereRemoved);
    const kept = run.status === 'done' ? keptResultOf(run, await findResultParts(db, id, listsRead(run))) : null;
    const strategy = await findStrategyById(db, run.strategyId);
    if (kept === null || strategy === null) throw new HttpError(409, runHasNoResult);
    const code = run.codeId === null ? null : await findCode(db, run.codeId);
    const pairs = run.plan === null ? run.symbol : `${run.plan.pairs.length} pairs`;
    return {
      title: `${run.strategyName}, ${pairs}, ${run.timeframe}`,
      subject: { run, first: kept.first, last: kept.last, strategy, code },
      kept,
      bot: null,
    };
  };

  const botOf = async (caller: Caller, id: string, days: number, to: number | undefined): Promise<Found> => {
    const bot = await visibleBot(db, caller, id);
    const strategy = await strategyOf(db, bot.strategyId);
    const code = bot.codeId === null ? null : await findCode(db, bot.codeId);
    return { title: bot.nickname, subject: { bot, days, to: to ?? null, strategy, code }, kept: null, bot };
  };

  return {
    async whatIf({ caller, query }) {
      const { title, subject, kept, bot } = await found(caller, query);
      const { strategy, code } = subject;
      const terms = await whatIf.terms(subject);
      const reads = declarationOf(strategy.className, code?.description ?? null);
      const about = {
        title,
        run: kept === null ? null : subject.run.id,
        bot:
          bot === null
            ? null
            : {
                id: bot.id,
                nickname: bot.nickname,
                version: bot.version,
                may_configure: mayChangeBotOf(caller, bot.userId) && bot.archivedAt === null,
              },
        is_portfolio: kept !== null && subject.run.plan !== null,
      };
      if ('why' in terms) return { ...about, why_not: terms.why, ...nothing };
      if (!tradingModes.some((mode) => mode === terms.terms.marketType))
        return { ...about, why_not: `A replay runs ${tradingModes.join(' or ')}, this bot trades ${terms.terms.marketType}.`, ...nothing };
      const source = await sourceFor(caller, strategy, code, { db, programModules });
      return {
        ...about,
        ...source,
        ...setupOf(terms.terms, reads, strategy),
        fingerprint: kept?.fingerprint ?? null,
      };
    },

    async whatIfAnswer({ caller, body, isGone }: Call<'whatIfAnswer'>) {
      const { subject, kept } = await found(caller, body);
      const terms = await whatIf.terms(subject);
      if ('why' in terms) return { state: 'unavailable', why: terms.why, report: null, took_ms: null };
      const question = {
        userId: caller.id,
        className: subject.strategy.className,
        code: subject.code,
        terms: terms.terms,
        changes: changesOf(body.changes),
        fingerprinted: kept?.fingerprint.trades ?? null,
      };
      const answer = await untilGone(isGone, (signal) => whatIf.answer(question, signal));
      switch (answer.state) {
        case 'overtaken':
          throw new HttpError(409, whatIfOvertaken);
        case 'unavailable':
          return { state: 'unavailable', why: answer.why, report: null, took_ms: null };
        case 'downloading':
          return {
            state: 'downloading',
            why: `The candles of ${answer.ready} of ${answer.pairs} pairs are there.`,
            report: null,
            took_ms: null,
          };
        case 'done':
          return { state: 'done', why: null, report: answer.report, took_ms: answer.tookMs };
      }
    },

    async strategyModule({ caller, params: { id, version, path } }) {
      const code = await findSeenCode(db, strategyReader(caller), id, version);
      const text = code?.files !== null && code !== null && Object.hasOwn(code.files, path) ? code.files[path] : undefined;
      if (text === undefined) throw new HttpError(404, 'Version not found');
      const addressOf = (specifier: string): string => {
        const known = programModules().addressIn(specifier);
        if (known !== null) return known;
        if (!specifier.startsWith('.')) throw new StrategyError(`${path} imports ${specifier}, which a strategy may not import.`);
        return moduleAddress(id, version, posix.join(posix.dirname(path), specifier));
      };
      return new FileAnswer('module.js', Buffer.from(moduleText(text, addressOf)));
    },
  };
}

/** What is said of what cannot be replayed. */
const nothing = {
  strategy: { id: '', name: '', class_name: '', startup_candles: 0, series: [] },
  declared: [],
  source: null,
  source_note: null,
  exchange_id: '',
  trading_mode: 'spot',
  timeframe: '5m',
  detail_timeframe: null,
  from: 0,
  to: 0,
  warm_up: 0,
  pairs: [],
  others: [],
  currency: '',
  settings: {},
  parameters: {},
  own_capital: false,
  fee_note: null,
  fingerprint: null,
} as const satisfies Partial<Setup>;

function setupOf(terms: WhatIfTerms, reads: ReturnType<typeof declarationOf>, { id, name, className }: StrategyView) {
  const { exchangeId, marketType, timeframe, detailTimeframe, from, to, warmUp, pairs, others, settings, parameters, capital } = terms;
  return {
    strategy: { id, name, class_name: className, startup_candles: terms.strategy.startupCandles, series: reads.series },
    declared: reads.parameters,
    why_not:
      candlesOf(terms) > mostWhatIfCandles
        ? 'These are more than a million candles, more than can be replayed while you turn settings. Choose fewer pairs or a shorter period.'
        : null,
    exchange_id: exchangeId,
    trading_mode: marketType as 'spot' | 'futures',
    timeframe: timeframe as StrategyTimeframe,
    detail_timeframe: detailTimeframe as StrategyTimeframe | null,
    from,
    to,
    warm_up: warmUp,
    pairs: [...pairs],
    others: [...others],
    currency: pairs[0]?.split(':')[1] ?? pairs[0]?.split('/')[1] ?? '',
    settings: { ...settings },
    parameters: { ...parameters },
    own_capital: capital === 'own',
    fee_note: terms.slippageRatio === 0 ? null : `With slippage of ${terms.slippageRatio * 100}%`,
  };
}

function changesOf(changes: Call<'whatIfAnswer'>['body']['changes']): WhatIfChanges {
  const { trailing_stop, trailing_offset, roi_at_once, max_open_trades, ...same } = changes;
  const all = {
    ...same,
    trailingStop: trailing_stop,
    trailingOffset: trailing_offset,
    roiAtOnce: roi_at_once,
    maxOpenTrades: max_open_trades,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
