import { dayMs } from '#engine/market/durations.ts';
import type { CallReply } from '#contract/client.ts';
import type { BotName } from '#storage/bots/bots.ts';
import type { LastDecision } from '#storage/bots/fleet.ts';
import { isLiveAllowed } from '#storage/trades/trade-mode.ts';
import { lastDecisions, profitsSince, weekOfProfit } from '#storage/bots/fleet.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerDependencies } from '../server-dependencies.ts';

type LiveBot = CallReply<'liveStatus'>['bots'][number];
type FleetFacts = Pick<
  LiveBot,
  'today_pnl' | 'stake_currency' | 'max_open_trades' | 'exchange_id' | 'is_own' | 'last_decision' | 'live_obstacle'
>;

/** What the overview of the fleet adds to each bot. Two queries, however many bots there are. */
export async function fleetFacts(
  dependencies: ServerDependencies,
  callerId: string,
  ownerId: string | null,
  now: Date,
): Promise<(bot: BotName) => FleetFacts> {
  const midnight = new Date(Math.floor(now.getTime() / dayMs) * dayMs);
  const [profits, decisions] = await Promise.all([profitsSince(dependencies.db, midnight), lastDecisions(dependencies.db, ownerId, now)]);
  return (bot) => ({
    today_pnl: Number(profits.get(bot.id) ?? 0),
    stake_currency: bot.stakeCurrency,
    max_open_trades: bot.maxOpenTrades,
    exchange_id: bot.exchangeId,
    is_own: bot.userId === callerId,
    last_decision: toReply(decisions.get(bot.id)),
    live_obstacle:
      bot.apiKeyId === null ? 'no-api-key' : isLiveAllowed(dependencies.liveTrading, bot.exchangeId) ? null : 'live-trading-disabled',
  });
}

function toReply(decision: LastDecision | undefined): FleetFacts['last_decision'] {
  if (decision === undefined) return null;
  const { decidedAt, symbol, action, gate, direction } = decision;
  return { time: decidedAt.toISOString(), symbol, action, gate, direction };
}

/** The last seven days of each bot, and the fees of its market. One query, and one question to each market in use. */
export async function fleetHistory(
  dependencies: ServerDependencies,
  ownerId: string | null,
  bots: readonly BotName[],
  now: Date,
): Promise<(bot: BotName) => Pick<LiveBot, 'history' | 'fees'>> {
  const [week, fees] = await Promise.all([weekOfProfit(dependencies.db, ownerId, now), feesOfMarkets(dependencies, bots)]);
  return (bot) => ({ history: week.get(bot.id) ?? [], fees: fees.get(`${marketOf(bot)} ${bot.symbols[0]}`) ?? null });
}

/** The figures of the bots do not wait longer than this for a market that is slow to answer. */
const marketWaitMs = 1_000;

/** The fees of every instrument of the markets in use; a market that cannot be asked is left out. */
async function feesOfMarkets(
  dependencies: ServerDependencies,
  bots: readonly BotName[],
): Promise<Map<string, { maker: number; taker: number }>> {
  const markets = [...new Map(bots.map((bot) => [marketOf(bot), bot])).entries()];
  const answers = await Promise.allSettled(
    markets.map(async ([market, { exchangeId, marketType }]) => {
      const asked = dependencies.markets.market(exchangeId, marketType).then((data) => data.instruments());
      const instruments = await Promise.race([asked, sleep(marketWaitMs, [], { ref: false })]);
      return instruments.map(({ symbol, makerFee, takerFee }) => [`${market} ${symbol}`, { maker: makerFee, taker: takerFee }] as const);
    }),
  );
  return new Map(answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])));
}

function marketOf({ exchangeId, marketType }: BotName): string {
  return `${exchangeId} ${marketType}`;
}
