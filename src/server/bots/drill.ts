import { createHash, randomInt } from 'node:crypto';
import type { CallReply } from '#contract/client.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import type { Drill } from '#storage/bots/drills.ts';
import { findDrill, writeDrill } from '#storage/bots/drills.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import { strategyOf } from './bot-trading.ts';
import type { Handlers } from '../calls/call.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { untilGone } from './until-gone.ts';
import { changeableBot } from './visible-bots.ts';

/** Why there is no drill while another one of the same person runs or waits. */
const anotherRuns = 'Another drill of yours is still running. Please try again when it is over.';

/** The rehearsal of a bot before it trades live. */
export function drillHandlers(dependencies: Pick<ServerDependencies, 'db' | 'askDrill'>): Pick<Handlers, 'runDrill'> {
  const { db, askDrill } = dependencies;
  const underWay = new Set<string>(); // by person: with one each, those of nobody else wait longer than for one of every other person
  return {
    async runDrill({ caller, params, isGone }) {
      const bot = await changeableBot(db, caller, params.id);
      await refuseSuspended(db, caller.id); // as of a backtest: it is work for the server
      const strategy = await strategyOf(db, bot.strategyId);
      const seed = randomInt(2 ** 31);
      if (underWay.has(caller.id)) return { why: anotherRuns, drill: null };
      underWay.add(caller.id);
      try {
        const answer = await untilGone(isGone, (signal) => askDrill({ bot, strategy, seed }, signal));
        if (answer.state === 'unavailable') return { why: answer.why, drill: null };
        const settingsHash = drillHash(bot, strategy);
        const drill = await writeDrill(db, bot.id, { settingsHash, seed, result: answer.result });
        return { why: null, drill: drillReply(drill, settingsHash) };
      } finally {
        underWay.delete(caller.id);
      }
    },
  };
}

/** What a drill is about, in a few characters: with other settings, or others of the strategy, an earlier drill says nothing. */
export function drillHash(bot: BotView, strategy: StrategyView): string {
  // Signals are made by chance and the pause after losses is off: neither is what a drill is about.
  const {
    timeframe = null,
    stoploss,
    minimalRoi = null,
    trailingStop = null,
    parameters: _,
    maxConsecutiveLosses: __,
    ...more
  } = bot.ownSettings;
  const settings = [
    [bot.exchangeId, bot.marketType, bot.symbols, Number(bot.stakeAmount), bot.maxOpenTrades, Number(bot.leverage), bot.leverageMode],
    [timeframe, stoploss === undefined ? null : String(stoploss), minimalRoi, trailingStop],
    [strategy.className, strategy.defaultTimeframe, strategy.stoploss, strategy.minimalRoi, strategy.trailingStop],
    [strategy.trailingStopPositive, strategy.trailingStopPositiveOffset, strategy.trailingOnlyOffsetIsReached, strategy.riskRewardRatio],
    [strategy.orderTypes, strategy.orderTimeInForce],
    ...(Object.keys(more).length === 0 ? [] : [more]), // those of before there were more are known by the same hash
  ];
  return createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 22);
}

/** Whether a bot that goes live has been through a drill of its settings, in a word for the audit log. */
export async function drillState(db: Database, bot: BotView): Promise<'passed' | 'differences' | 'other settings' | 'skipped'> {
  const [strategy, drill] = await Promise.all([strategyOf(db, bot.strategyId), findDrill(db, bot.id)]);
  if (drill === null) return 'skipped';
  if (drill.settingsHash !== drillHash(bot, strategy)) return 'other settings';
  return drill.result.differences.length === 0 ? 'passed' : 'differences';
}

/** A drill as it is shown, beside what the bot has now. */
export function drillReply({ runAt, settingsHash, result }: Drill, hashNow: string): NonNullable<CallReply<'runDrill'>['drill']> {
  return {
    run_at: runAt.toISOString(),
    is_current: settingsHash === hashNow,
    minutes: result.minutes,
    pairs: result.pairs,
    kills: result.kills,
    freezes: result.freezes,
    faults: result.faults,
    orders: result.orders,
    lost_answers: result.lostAnswers,
    stops: result.stops,
    longest_without_stop_ms: result.longestWithoutStopMs,
    trades: result.trades,
    refusals: result.refusals,
    leftovers: result.leftovers,
    differences: result.differences,
  };
}
