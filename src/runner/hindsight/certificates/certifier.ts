import { fromStoredTrade } from '#engine/bot/stored-state.ts';
import type { Trade } from '#engine/account/trade.ts';
import { dayMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { CertificateFacts, CertifiedReplay } from '#engine/report/certificate/certificate-facts.ts';
import { tradeAt } from '#engine/report/certificate/trade-at.ts';
import { pairsBeside } from '#engine/strategy/series.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { findBot } from '#storage/bots/bots.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import type { CertificateClaim } from '#storage/certificates/certificates.ts';
import { askNightly, claimCertificate, failCertificate, keepCertificate, renewClaim } from '#storage/certificates/certificates.ts';
import { capitalUntil, closedBefore, decisionsOfDay, tradesOfDay, unfilledOfDay, versionsOf } from '#storage/certificates/day-rows.ts';
import { modesOfDay } from '#storage/certificates/mode-of-day.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import { findCode, findCodeByNumber } from '#storage/strategies/strategy-code.ts';
import { createHash } from 'node:crypto';
import { pythonSeries } from '../../jobs/python-series.ts';
import { every } from '../../every.ts';
import { CalculatingThread } from '../calculating-thread.ts';
import type { HindsightDependencies } from '../what-if/python-what-if.ts';
import { Calculations, mostCandles } from '../calculations.ts';
import { CannotReplay } from './cannot-replay.ts';
import type { CertificateTask, SeriesBeside, SeriesOfDay, Stretch } from './certificate-task.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import type { PlannedStretch, RunOfDay, SettingsFrom } from './stretches.ts';
import { planStretch, settingsOfDay } from './stretches.ts';

/** How long the candles of a day may take to come, and its replay, in ms. */
const patienceMs = 120_000;

/** Funding is fetched for so long before a day at most, for trades that are held longer. */
const mostFundingMs = 40 * dayMs;

/** How long the replay of a strategy in Python may take, and how long its thread stays without work, in ms. */
const pythonPatience = { longestMs: 600_000, idleMs: 10_000 };

/** So often a replay under way renews its claim, and sees whether anybody still wants it, in ms. */
const renewalMs = 2_000;

/** A strategy that asks for more series than this, one after the other, is not waited for. */
const mostBeginnings = 20;

/** Replays days of bots one after the other, in a thread beside everything else, and keeps what they come to. */
export class Certifier {
  readonly #dependencies: HindsightDependencies;
  readonly #calculations: Calculations;
  readonly #thread = new CalculatingThread({ longestMs: patienceMs });
  readonly #pythonThread = new CalculatingThread(pythonPatience);
  readonly #closing = new AbortController();
  #working: Promise<void> | null = null;

  constructor(dependencies: HindsightDependencies) {
    this.#dependencies = dependencies;
    this.#calculations = new Calculations({ ...dependencies, patienceMs });
  }

  /** Has the days that have ended since replayed, where they are not yet. */
  async askNightly(): Promise<void> {
    await askNightly(this.#dependencies.db, new Date(this.#dependencies.now()));
  }

  /** Replays what is wanted, until nothing is; while it works already it does nothing more. */
  work(): Promise<void> {
    this.#working ??= this.#workOff().finally(() => (this.#working = null));
    return this.#working;
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#calculations.close(), this.#thread.close(), this.#pythonThread.close()]);
    await this.#working?.catch(() => undefined);
  }

  async #workOff(): Promise<void> {
    const { db } = this.#dependencies;
    while (!this.#closing.signal.aborted) {
      const claim = await claimCertificate(db);
      if (claim === null) return;
      await this.#make(claim);
    }
  }

  async #make(claim: CertificateClaim): Promise<void> {
    const { db, now, log } = this.#dependencies;
    const began = performance.now();
    const renewalFailed = (error: unknown): void => log('a replay could not renew its claim', { ...claim, error: errorText(error) });
    const over = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, over.signal]);
    const renew = async (): Promise<void> => {
      if (over.signal.aborted || (await renewClaim(db, claim))) return;
      over.abort();
      await Promise.all([this.#thread.close(), this.#pythonThread.close()]); // nothing else ends what they calculate
    };
    const renewal = every(renewalMs, renew, renewalFailed, 'after-pause');
    try {
      const { mode, currency, facts } = await this.#certify(claim, signal);
      const { promised, made, decisions } = facts.certificate;
      const tookMs = Math.max(1, Math.round(performance.now() - began));
      const found = { mode, currency, promised, made, differing: decisions.differing, certificate: facts, tookMs };
      await keepCertificate(db, claim, found, new Date(now()));
    } catch (error) {
      if (signal.aborted) return; // another process takes it over, or nobody wants it any more
      if (!(error instanceof CannotReplay)) log('a day was not replayed', { ...claim, error: errorText(error) });
      const [why, mayPass] =
        error instanceof CannotReplay ? [error.message, error.mayPass] : [`The day could not be replayed: ${errorText(error)}`, true];
      await failCertificate(db, claim, why, mayPass);
    } finally {
      await renewal.stop();
    }
  }

  async #certify({ botId, day }: CertificateClaim, signal: AbortSignal) {
    const { db } = this.#dependencies;
    const [from, to] = [Date.parse(`${day}T00:00:00Z`), Date.parse(`${day}T00:00:00Z`) + dayMs];
    const today = await findBot(db, botId);
    const strategy = today === null ? null : await findStrategyById(db, today.strategyId);
    if (today === null || strategy === null) throw new CannotReplay('The bot is gone.');
    const settings = settingsOfDay(today, strategy, await versionsOf(db, botId, today.strategyId), { from, to });
    const bot = { ...today, ...placeOfDay(settings, today) };
    const mode = onlyMode(await modesOfDay(db, bot, new Date(from), new Date(to)));
    const planned = await this.#plan(bot, { from, to }, settings, { mode, python: this.#dependencies.python ?? null });
    const stretches = planned.map(({ stretch }) => stretch);

    const of = { botId, mode, from: new Date(from), to: new Date(to) };
    const trades = (await tradesOfDay(db, of)).map(({ state, stopMoves }) => ({ trade: fromStoredTrade(state), stopMoves }));
    if (stretches.some(({ python }) => python !== null)) requireNoDataAtMidnight(trades, from);
    const before = await closedBefore(db, of, stretches.some(({ python }) => python?.readsAccount === true) ? 'account' : 'protections');
    const warmUp = Math.max(...planned.map(({ warmUpMs }) => warmUpMs));
    const decisions = (await decisionsOfDay(db, botId, new Date(from - warmUp), new Date(to))).map(({ candleTime, ...rest }) => ({
      ...rest,
      candleTime: candleTime.getTime(),
    }));
    const unfilled = (await unfilledOfDay(db, of)).map(({ candleTime, ...rest }) => ({ ...rest, candleTime: candleTime.getTime() }));

    const series = await this.#series(
      bot,
      planned,
      trades.map(({ trade }) => trade),
      { from, to, warmUp },
      signal,
    );
    const decided = decisions.filter(({ candleTime }) => candleTime >= from - warmUp && candleTime + shortest(stretches) >= from);
    const task: CertificateTask = {
      from,
      to,
      stretches,
      entriesFrom: decided[0]?.candleTime ?? -Infinity,
      entriesUntil: decided.at(-1)?.candleTime ?? Infinity,
      series,
      beside: [],
      trades,
      closed: before.newest.map((state) => fromStoredTrade(state)),
      closedProfit: before.profit,
      unfilled,
      decisions,
    };
    const replay = await this.#replay(task, signal);
    const facts: CertificateFacts = {
      ...replay,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      fingerprint: createHash('sha256').update(replay.lines.join('\n')).digest('hex').slice(0, 12),
      versions: planned.map(({ stretch, botVersion, strategyVersion }) => ({
        from: new Date(stretch.from).toISOString(),
        bot: botVersion,
        strategy: strategyVersion,
      })),
    };
    return { mode, currency: bot.stakeCurrency, facts };
  }

  /** Has the thread replay a day, with what strategies in Python read besides. Fails: CannotReplay */
  async #replay(task: CertificateTask, signal: AbortSignal): Promise<CertifiedReplay> {
    const thread = task.stretches.some(({ python }) => python !== null) ? this.#pythonThread : this.#thread;
    let { beside } = task;
    for (let beginnings = 0; beginnings <= mostBeginnings; beginnings++) {
      signal.throwIfAborted();
      const result = await thread.calculate({ ...task, beside });
      signal.throwIfAborted();
      if ('replay' in result) return result.replay;
      if ('why' in result) throw new CannotReplay(result.why, result.mayPass);
      if (!('wanted' in result)) {
        this.#dependencies.log('a replay failed', { error: result.fault });
        throw new CannotReplay(`The day could not be replayed: ${result.fault}`);
      }
      beside = [...beside, ...(await this.#beside(task, result.wanted, signal))];
    }
    throw new CannotReplay('The strategy asks for more and more series that it does not announce.');
  }

  /** The candles of series that a strategy in Python reads besides. Fails: CannotReplay where there are none */
  async #beside({ stretches, from, to }: CertificateTask, names: readonly SeriesName[], signal: AbortSignal): Promise<SeriesBeside[]> {
    const window = Math.max(...stretches.map(({ python }) => python?.window ?? 0));
    const exchangeId = stretches.find(({ python }) => python !== null)?.python?.exchangeId ?? '';
    const work = { signal, progress: () => Promise.resolve() };
    const found: SeriesBeside[] = [];
    for (const name of names) {
      const what = `candles of ${name.symbol} on ${name.timeframe} (${name.kind})`;
      const { candles } = await pythonSeries(
        { ...this.#dependencies, cacheFolder: null },
        exchangeId,
        name,
        { from, to },
        window,
        work,
      ).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new CannotReplay(`The strategy reads ${what}, and the exchange does not give them. ${errorText(error)}`, true);
      });
      if (candles.openTime.length === 0) throw new CannotReplay(`The strategy reads ${what}, and there are none.`, true);
      found.push({ name, candles });
    }
    return found;
  }

  async #plan(bot: BotView, day: { from: number; to: number }, settings: ReturnType<typeof settingsOfDay>, run: RunOfDay) {
    const { db } = this.#dependencies;
    return Promise.all(
      settings.map(async (each, i) => {
        const { codeNumber } = each.settings;
        const isOfCode = bot.codeId !== null;
        const code = !isOfCode
          ? null
          : codeNumber === undefined
            ? await findCode(db, bot.codeId ?? '')
            : await findCodeByNumber(db, bot.strategyId, codeNumber);
        if (isOfCode && code === null) throw new CannotReplay('The version of the strategy that ran then is not kept any more.');
        const to = settings[i + 1]?.from ?? day.to;
        const then = await capitalUntil(db, { botId: bot.id, mode: run.mode, to: new Date(to) }, bot.stakeCurrency);
        return planStretch({ ...bot, startingBalance: then ?? bot.startingBalance }, each, to, code, run);
      }),
    );
  }

  /** The candles of every pair that was traded, held or read, in each length that there was, and funding as far back as a trade is held. */
  async #series(
    bot: BotView,
    planned: readonly PlannedStretch[],
    trades: readonly Trade[],
    { from, to, warmUp }: { from: number; to: number; warmUp: number },
    signal: AbortSignal,
  ): Promise<SeriesOfDay[]> {
    const wanted = new Map<string, CandleSeries>();
    for (const { stretch, strategy } of planned) {
      const traded = [...new Set([...stretch.symbols, ...trades.map(({ symbol }) => symbol)])];
      for (const symbol of [...traded, ...pairsBeside(strategy, traded)])
        wanted.set(`${symbol} ${stretch.timeframe}`, {
          exchangeId: bot.exchangeId,
          marketType: bot.marketType,
          symbol,
          timeframe: stretch.timeframe,
        });
    }
    const series = [...wanted.values()];
    const candles = series.length * ((to - from + warmUp) / shortest(planned.map(({ stretch }) => stretch)));
    if (candles > mostCandles) throw new CannotReplay('The day has more candles than can be replayed at once.');
    const oldest = Math.min(from, ...trades.map(({ openTime }) => openTime));
    const funding = bot.marketType === 'futures' ? { from: Math.max(oldest, from - mostFundingMs), to } : null;
    const request = { candles: { from: from - warmUp, to }, funding };
    const failed = 'The exchange does not give the candles of this day.';
    const answer = await this.#calculations.withHistory(series, request, failed, signal, async (pairs) =>
      pairs.map((pair, i) => ({ symbol: pair.instrument.symbol, timeframe: series[i]?.timeframe as Timeframe, ...pair })),
    );
    if (Array.isArray(answer)) return answer;
    throw new CannotReplay(answer.state === 'unavailable' ? answer.why : 'The candles of the day did not come in time.', true);
  }
}

function shortest(stretches: readonly Pick<Stretch, 'timeframe'>[]): number {
  return Math.min(...stretches.map(({ timeframe }) => timeframeLengths[timeframe]));
}

/** What a strategy keeps with a trade is stored as it is now. Fails: CannotReplay for a trade that had some at midnight */
function requireNoDataAtMidnight(trades: CertificateTask['trades'], from: number): void {
  for (const { trade, stopMoves } of trades) {
    const names = Object.keys(trade.customData ?? {});
    if (names.length > 0 && tradeAt(trade, from, stopMoves) !== null)
      throw new CannotReplay(
        `The strategy keeps data with its trades (${names.join(', ')}), and what the trade of ${trade.symbol} had at midnight is not on record.`,
      );
  }
}

/** Where a bot traded on a day. Fails: CannotReplay where that was changed, or its balance is another currency's by now */
function placeOfDay(settings: readonly SettingsFrom[], today: BotView) {
  const [first, ...others] = settings.map(({ settings: { exchangeId, marketType, stakeCurrency } }) => ({
    exchangeId,
    marketType,
    stakeCurrency,
  }));
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
    throw new CannotReplay('The bot changed its exchange, market or stake currency on this day, which is not replayed as one.');
  if (first !== undefined && first.stakeCurrency !== today.stakeCurrency)
    throw new CannotReplay(
      `The bot staked ${first.stakeCurrency} on this day and ${today.stakeCurrency} since, so its balance of then is not known.`,
    );
  return first;
}

/** Fails: CannotReplay where a bot ran in several modes */
function onlyMode(modes: readonly TradeMode[]): TradeMode {
  const [mode, ...others] = modes.toSorted();
  if (mode === undefined || others.length > 0)
    throw new CannotReplay(`The bot changed between ${modes.toSorted().join(' and ')} on this day, which is not replayed as one.`);
  return mode;
}
