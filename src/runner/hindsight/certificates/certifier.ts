import { fromStoredTrade } from '#engine/bot/stored-state.ts';
import type { Trade } from '#engine/account/trade.ts';
import { dayMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { CertificateFacts } from '#engine/report/certificate/certificate-facts.ts';
import { pairsBeside } from '#engine/strategy/series.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { findBot } from '#storage/bots/bots.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import type { CertificateClaim } from '#storage/certificates/certificates.ts';
import { askNightly, claimCertificate, failCertificate, keepCertificate } from '#storage/certificates/certificates.ts';
import { closedBefore, decisionsOfDay, tradesOfDay, unfilledOfDay, versionsOf } from '#storage/certificates/day-rows.ts';
import { modeOfDay } from '#storage/certificates/mode-of-day.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import { findCode, findCodeByNumber } from '#storage/strategies/strategy-code.ts';
import { createHash } from 'node:crypto';
import { CalculatingThread } from '../calculating-thread.ts';
import type { CalculationDependencies } from '../calculations.ts';
import { Calculations, mostCandles } from '../calculations.ts';
import type { CertificateTask, SeriesOfDay, Stretch } from './certificate-task.ts';
import type { PlannedStretch } from './stretches.ts';
import { planStretch, settingsOfDay, warmUpMs } from './stretches.ts';

/** How long the candles of a day may take to come, and its replay, in ms. */
const patienceMs = 120_000;

/** Funding is fetched for so long before a day at most, for trades that are held longer. */
const mostFundingMs = 40 * dayMs;

/** A day that cannot be replayed, for a reason that people are told. */
class CannotReplay extends Error {
  readonly mayPass: boolean;

  constructor(why: string, mayPass = false) {
    super(why);
    this.mayPass = mayPass;
  }
}

/** Replays days of bots one after the other, in a thread beside everything else, and keeps what they come to. */
export class Certifier {
  readonly #dependencies: CalculationDependencies;
  readonly #calculations: Calculations;
  readonly #thread = new CalculatingThread({ longestMs: patienceMs });
  readonly #closing = new AbortController();
  #working: Promise<void> | null = null;

  constructor(dependencies: CalculationDependencies) {
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
    await Promise.all([this.#calculations.close(), this.#thread.close()]);
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
    try {
      const { mode, currency, facts } = await this.#certify(claim);
      const { promised, made, decisions } = facts.certificate;
      const tookMs = Math.max(1, Math.round(performance.now() - began));
      const found = { mode, currency, promised, made, differing: decisions.differing, certificate: facts, tookMs };
      await keepCertificate(db, claim, found, new Date(now()));
    } catch (error) {
      if (this.#closing.signal.aborted) return; // another process takes it over
      if (!(error instanceof CannotReplay)) log('a day was not replayed', { ...claim, error: errorText(error) });
      const [why, mayPass] =
        error instanceof CannotReplay ? [error.message, error.mayPass] : [`The day could not be replayed: ${errorText(error)}`, true];
      await failCertificate(db, claim, why, mayPass);
    }
  }

  async #certify({ botId, day }: CertificateClaim) {
    const { db } = this.#dependencies;
    const [from, to] = [Date.parse(`${day}T00:00:00Z`), Date.parse(`${day}T00:00:00Z`) + dayMs];
    const bot = await findBot(db, botId);
    const strategy = bot === null ? null : await findStrategyById(db, bot.strategyId);
    if (bot === null || strategy === null) throw new CannotReplay('The bot is gone.');
    const mode = await modeOfDay(db, bot, new Date(from), new Date(to));
    const planned = await this.#plan(
      bot,
      { from, to },
      settingsOfDay(bot, strategy, await versionsOf(db, botId, bot.strategyId), { from, to }),
    );
    const stretches = planned.map(({ stretch }) => stretch);

    const of = { botId, mode, from: new Date(from), to: new Date(to) };
    const trades = (await tradesOfDay(db, of)).map(({ state, stopMoves }) => ({ trade: fromStoredTrade(state), stopMoves }));
    const before = await closedBefore(db, of);
    const warmUp = Math.max(...planned.map(({ strategy: known, stretch }) => warmUpMs(known, stretch.timeframe)));
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
    );
    const decided = decisions.filter(({ candleTime }) => candleTime >= from - warmUp && candleTime + shortest(stretches) >= from);
    const task: CertificateTask = {
      from,
      to,
      stretches,
      entriesFrom: decided[0]?.candleTime ?? -Infinity,
      entriesUntil: decided.at(-1)?.candleTime ?? Infinity,
      series,
      trades,
      closed: before.newest.map((state) => fromStoredTrade(state)),
      closedProfit: before.profit,
      unfilled,
      decisions,
    };
    const result = await this.#thread.calculate(task);
    if (!result.ok) throw new CannotReplay(`The day could not be replayed: ${result.fault}`);
    const facts: CertificateFacts = {
      ...result.replay,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      fingerprint: createHash('sha256').update(result.replay.lines.join('\n')).digest('hex').slice(0, 12),
      versions: planned.map(({ stretch, botVersion, strategyVersion }) => ({
        from: new Date(stretch.from).toISOString(),
        bot: botVersion,
        strategy: strategyVersion,
      })),
    };
    return { mode, currency: bot.stakeCurrency, facts };
  }

  async #plan(bot: BotView, day: { from: number; to: number }, settings: ReturnType<typeof settingsOfDay>) {
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
        const planned = planStretch(bot, each, settings[i + 1]?.from ?? day.to, code);
        if ('why' in planned) throw new CannotReplay(planned.why);
        return planned;
      }),
    );
  }

  /** The candles of every pair that was traded, held or read, in each length that there was, and funding as far back as a trade is held. */
  async #series(
    bot: BotView,
    planned: readonly Exclude<PlannedStretch, { why: string }>[],
    trades: readonly Trade[],
    { from, to, warmUp }: { from: number; to: number; warmUp: number },
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
    const answer = await this.#calculations.withHistory(series, request, failed, this.#closing.signal, async (pairs) =>
      pairs.map((pair, i) => ({ symbol: pair.instrument.symbol, timeframe: series[i]?.timeframe as Timeframe, ...pair })),
    );
    if (Array.isArray(answer)) return answer;
    throw new CannotReplay(answer.state === 'unavailable' ? answer.why : 'The candles of the day did not come in time.', true);
  }
}

function shortest(stretches: readonly Pick<Stretch, 'timeframe'>[]): number {
  return Math.min(...stretches.map(({ timeframe }) => warmUpMs({ startupCandles: 0 }, timeframe)));
}
