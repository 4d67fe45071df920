import { dayMs } from '#engine/market/durations.ts';
import type { RouteName } from '#contract/routes.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Database } from '#storage/database.ts';
import type { CallerKind, Callers } from './callers.ts';
import type { MeantInput } from './fuzz-request.ts';
import type { MeantWorld } from './meant-world.ts';
import type { About } from './valid-calls.ts';
import { validCalls } from './valid-calls.ts';

const kinds = ['trader', 'admin'] satisfies CallerKind[];

/**
 * What a trader and an admin would send to each call about their own things, with a strategy of the installation, and people with second factors of
 * their own at sign-in. A mail that waits and trades closed on the day of the reports are made for it.
 */
export async function meantInputs(
  db: Database,
  callers: Callers,
  { apiKey, strategy, world }: { apiKey: { key: string; secret: string }; strategy: string; world: MeantWorld },
): Promise<(name: RouteName) => MeantInput[]> {
  const mail = randomUUID();
  await sql`insert into mail_outbox (id, recipient, subject, body) values (${mail}, 'a@attack.example', 'Hello', 'Hello')`.execute(db);
  const closed = { status: 'closed', closedAt: new Date('2026-01-01T12:00:00Z'), exitPrice: 101, profit: 1, profitRatio: 0.01 } as const;
  for (const kind of kinds) await writeTrades(db, [{ trade: aTradeRow(ownsOf(callers, kind).bot, closed), orders: [], fills: [] }]);
  const { file, candles, certified, factors } = world;
  const ofFile = { id: file.strategy, version: 1 };
  const history = { exchange: 'sandbox', symbol: 'BTC/USDT', trading_mode: 'spot', timeframe: '1h' };
  const [from, to] = [candles.from, candles.from + dayMs].map(String);
  /** What differs from the valid call: the things it is about are not everybody's. */
  const meant = (name: RouteName, about: About): Omit<MeantInput, 'caller'> => {
    const input: Omit<MeantInput, 'caller'> = validCalls[name](about);
    switch (name) {
      case 'addApiKey':
        return { body: { ...(input.body as object), ...apiKey } };
      case 'retryMail':
        return { params: { id: mail } };
      case 'startPortfolio':
      case 'startStudy':
        return { ...input, body: onListedPair(input.body) };
      case 'strategyCode':
        return { params: ofFile };
      case 'strategyModule':
        return { params: { ...ofFile, path: file.path } };
      case 'certificatePdf':
        return { params: { id: about.bot, day: certified } };
      case 'candleHistory':
        return { query: { ...history, days: '7' } };
      case 'whatIfCandles':
        return { query: { ...history, from, to, warm_up: '0' } };
      default:
        return input;
    }
  };
  return (name) => [
    ...kinds.map((kind) => ({ caller: kind, ...meant(name, { ...ownsOf(callers, kind), email: callers.of(kind).email, strategy }) })),
    ...Object.entries(factors).flatMap(([factor, input]) => (factor === name ? [input] : [])),
  ];
}

function ownsOf(callers: Callers, kind: CallerKind) {
  const { owns } = callers.of(kind);
  if (owns === null) throw new Error(`${kind} has nothing to ask about`);
  return owns;
}

/** The same plan for a pair that its exchange has. */
function onListedPair(body: unknown): unknown {
  const { plan, ...rest } = body as { plan: object };
  return { ...rest, plan: { ...plan, pairs: ['BTC/USDT'] } };
}
