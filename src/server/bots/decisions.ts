import type { DecisionFunnel } from '#contract/decisions.ts';
import { decisionsPerPage, rangeTooLong, rangeUpsideDown } from '#contract/decisions.ts';
import { dayMs, hourMs } from '#engine/market/durations.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { DecisionPlace, DecisionRange, Funnel } from '#storage/bots/decision-list.ts';
import { countDecisions, listDecisions } from '#storage/bots/decision-list.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { effectiveTimeframe } from './bot-reply.ts';
import { ownBot } from './visible-bots.ts';

const longestRangeMs = 31 * dayMs;

/** Why a bot did or did not trade, for its owner and admins. */
export function decisionHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'botDecisions'> {
  return {
    async botDecisions({ caller, params, query, now }) {
      const to = query.to === undefined ? now : new Date(query.to);
      const from = query.from === undefined ? new Date(to.getTime() - dayMs) : new Date(query.from);
      if (from >= to) throw new HttpError(400, rangeUpsideDown);
      if (to.getTime() - from.getTime() > longestRangeMs) throw new HttpError(400, rangeTooLong);
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
          const closedWithin = async (ms: number) => {
            const since = now.getTime() - ms;
            return countDecisions(trx, { ...range, from: new Date(since - openMs + 1), to: now }, mode, new Date(since));
          };
          return {
            from: from.toISOString(),
            to: to.toISOString(),
            decisions: shown.map(({ candleTime, ...row }) => ({ candle_time: candleTime.toISOString(), ...row })),
            next: last === undefined || found.length === shown.length ? null : `${last.candleTime.getTime()}_${last.symbol}`,
            funnels:
              before === null
                ? {
                    range: toReply(await countDecisions(trx, range, mode, from)),
                    hour: toReply(await closedWithin(hourMs)),
                    day: toReply(await closedWithin(dayMs)),
                  }
                : null,
          };
        });
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
