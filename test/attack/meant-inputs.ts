import type { RouteName } from '#contract/routes.ts';
import type { Database } from '#storage/database.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { CallerKind, Callers } from './callers.ts';
import type { MeantInput } from './fuzz-request.ts';
import { validCalls } from './valid-calls.ts';

const kinds = ['trader', 'admin'] satisfies CallerKind[];

/**
 * What a trader and an admin would send to each call about their own things, with a strategy of the installation; `apiKey` is one that its exchange
 * takes. A mail that waits and trades closed on the day of the reports are made for it.
 */
export async function meantInputs(
  db: Database,
  callers: Callers,
  apiKey: { key: string; secret: string },
): Promise<(name: RouteName) => MeantInput[]> {
  const [strategy] = await listStrategies(db);
  const mail = randomUUID();
  await sql`insert into mail_outbox (id, recipient, subject, body) values (${mail}, 'a@attack.example', 'Hello', 'Hello')`.execute(db);
  const closed = { status: 'closed', closedAt: new Date('2026-01-01T12:00:00Z'), exitPrice: 101, profit: 1, profitRatio: 0.01 } as const;
  for (const kind of kinds) await writeTrades(db, [{ trade: aTradeRow(ownsOf(callers, kind).bot, closed), orders: [], fills: [] }]);
  return (name) =>
    kinds.map((kind) => {
      const about = { ...ownsOf(callers, kind), email: callers.of(kind).email, strategy: strategy?.id ?? '' };
      const input: Omit<MeantInput, 'caller'> = validCalls[name](about);
      if (name === 'addApiKey') return { caller: kind, body: { ...(input.body as object), ...apiKey } };
      if (name === 'retryMail') return { caller: kind, params: { id: mail } };
      const body = name === 'startPortfolio' || name === 'startStudy' ? onListedPair(input.body) : input.body;
      return { caller: kind, ...input, ...(body === undefined ? {} : { body }) };
    });
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
