import type { DecisionFunnel } from '#contract/decisions.ts';
import { decisionMarksMax, decisionsPerPage } from '#contract/decisions.ts';
import { dayMs, hourMs } from '#engine/market/durations.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { DecisionPlace, DecisionRange, Funnel } from '#storage/bots/decision-list.ts';
import { countDecisions, listDecisions, listMarks, nearestDecision } from '#storage/bots/decision-list.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import type { Handlers } from '../calls/call.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { effectiveTimeframe } from './bot-reply.ts';
import { seenReply } from './decision-seen.ts';
import { decisionTimes, longestRangeMs } from './decision-times.ts';
import { nearestReply } from './last-hour.ts';
import { ownBot } from './visible-bots.ts';

/** Why a bot did or did not trade, for its owner and admins. */
export function decisionHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'botDecisions' | 'botDecisionMarks'> {
  return {
    async botDecisions({ caller, params, query, now }) {
      const { from, to } = decisionTimes(query, now);
      const before = query.before === undefined ? null : placeOf(query.before);

      // One view of the database: the list and the counts are of the same decisions.
      return db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (trx) => {
          const bot = await ownBot(trx, caller, params.id);
          const range: DecisionRange = { botId: bot.id, symbol: query.symbol ?? null, from, to };
          const filter = { gate: query.gate ?? null, action: query.action ?? null, signalsOnly: query.signals === 'only' };
          const found = await listDecisions(trx, range, filter, before, decisionsPerPage + 1);
          const shown = found.slice(0, decisionsPerPage);
          const last = shown.at(-1);

          const mode = tradeModeOf(bot);
          // The record has a candle by its opening; one that has closed within the last hour may have opened before it.
          const openMs = timeframeLengths[effectiveTimeframe(bot)];
          const within = (ms: number) => ({ ...range, from: new Date(now.getTime() - ms - openMs + 1), to: now });
          const closedWithin = async (ms: number) => countDecisions(trx, within(ms), mode, new Date(now.getTime() - ms));
          const nearestWithin = async (ms: number) => nearestReply(await nearestDecision(trx, within(ms)));
          return {
            from: from.toISOString(),
            to: to.toISOString(),
            decisions: shown.map(({ candleTime, seen, ...row }) => ({ candle_time: candleTime.toISOString(), ...row, ...seenReply(seen) })),
            next: last === undefined || found.length === shown.length ? null : `${last.candleTime.getTime()}_${last.symbol}`,
            funnels:
              before === null
                ? {
                    range: toReply(await countDecisions(trx, range, mode, from)),
                    hour: toReply(await closedWithin(hourMs)),
                    day: toReply(await closedWithin(dayMs)),
                  }
                : null,
            nearest: before === null ? { hour: await nearestWithin(hourMs), day: await nearestWithin(dayMs) } : null,
          };
        });
    },

    async botDecisionMarks({ caller, params, query, now }) {
      const bot = await ownBot(db, caller, params.id);
      const wanted = query.from === undefined ? now.getTime() - dayMs : Date.parse(query.from);
      const from = new Date(Math.max(wanted, now.getTime() - longestRangeMs));
      const marks = await listMarks(db, { botId: bot.id, symbol: query.symbol, from, to: now }, decisionMarksMax);
      return { marks: marks.map(({ candleTime, ...mark }) => ({ candle_time: candleTime.toISOString(), ...mark })) };
    },
  };
}

function toReply(funnel: Funnel): DecisionFunnel {
  return { ...funnel, signals: funnel.refused.reduce((sum, { count }) => sum + count, funnel.entered) };
}

function placeOf(cursor: string): DecisionPlace {
  const end = cursor.indexOf('_');
  return { candleTime: new Date(Number(cursor.slice(0, end))), symbol: cursor.slice(end + 1) };
}
