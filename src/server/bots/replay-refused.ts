import type { CallReply } from '#contract/client.ts';
import { isReplayable, notReplayable, replayedMax, replayOvertaken } from '#contract/decisions.ts';
import type { ReplayedEntry } from '#engine/report/refused-replay.ts';
import { listRefused } from '#storage/bots/refused-entries.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import { strategyOf } from './bot-trading.ts';
import { decisionTimes } from './decision-times.ts';
import { untilGone } from './until-gone.ts';
import { ownBot } from './visible-bots.ts';

type Reply = CallReply<'replayRefused'>;

/** What the entries that a check has refused would have made, for the owner of the bot and admins. */
export function replayHandlers({ db, askReplay }: Pick<ServerDependencies, 'db' | 'askReplay'>): Pick<Handlers, 'replayRefused'> {
  return {
    async replayRefused({ caller, params, body, now, isGone }) {
      const { from, to } = decisionTimes(body, now);
      if (!isReplayable(body.gate)) throw new HttpError(400, notReplayable);
      const bot = await ownBot(db, caller, params.id);
      const range = { botId: bot.id, symbol: body.symbol ?? null, from, to };
      const { total, newest } = await listRefused(db, range, body.gate, replayedMax);
      const about = { from: from.toISOString(), to: to.toISOString(), refused: total, left_out: total - newest.length };
      if (total === 0) return { state: 'done', why: null, replay: { ...about, until: to.toISOString(), entries: [], sums: [] } };
      const refused = newest.map((entry) => ({ ...entry, candleTime: entry.candleTime.getTime(), decidedAt: entry.decidedAt.getTime() }));
      const strategy = await strategyOf(db, bot.strategyId);
      const code = bot.codeId === null ? null : await findCode(db, bot.codeId);
      const answer = await untilGone(isGone, (signal) => askReplay({ userId: caller.id, bot, strategy, code, refused }, signal));
      switch (answer.state) {
        case 'overtaken':
          throw new HttpError(409, replayOvertaken);
        case 'unavailable':
          return { state: 'unavailable', why: answer.why, replay: null };
        case 'downloading':
          return { state: 'downloading', why: `The candles of ${answer.ready} of ${answer.pairs} pairs are there.`, replay: null };
        case 'done': {
          const { until, entries, sums } = answer.replay;
          const replay = {
            ...about,
            until: new Date(until).toISOString(),
            entries: entries.map(entryReply),
            sums: sums.map(({ openProfit, ...sum }) => ({ ...sum, open_profit: openProfit })),
          };
          return { state: 'done', why: null, replay };
        }
      }
    },
  };
}

function entryReply(entry: ReplayedEntry): NonNullable<Reply['replay']>['entries'][number] {
  const { candleTime, symbol, direction, outcome } = entry;
  const isClosed = outcome === 'closed';
  return {
    candle_time: new Date(candleTime).toISOString(),
    symbol,
    direction,
    outcome,
    why: outcome === 'not-made' ? entry.why : null,
    profit: outcome === 'not-made' ? null : entry.profit,
    closed_at: isClosed ? new Date(entry.closeTime).toISOString() : null,
    exit_reason: isClosed ? entry.exitReason : null,
  };
}
