import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { orderStates } from '#engine/account/order-life.ts';
import { seededRandom } from '#engine/simulation/seeded-random.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { report, runSize } from '../../../test/support/run-size.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { acknowledgeAlarms, endAlarm, listAlarms, raiseAlarm } from '../alarms/alarms.ts';
import { keepStandingAlarms } from '../alarms/standing-alarms.ts';
import { listBotsWithoutRunner } from '../bots/runners.ts';
import { writeAudit } from '../audit/audit-log.ts';
import { setBotStatus } from '../bots/bots.ts';
import type { Database } from '../database.ts';
import { askToAdopt, noteAdopted } from '../differences/adopted-holdings.ts';
import { endDifference, noteDifference } from '../differences/differences.ts';
import { endFound, ignoreDifference, listDifferences, lockDifference } from '../differences/found-differences.ts';
import { noteUnrecorded } from '../differences/unrecorded-orders.ts';
import { askCertificate, claimCertificate, failCertificate, keepCertificate } from '../certificates/certificates.ts';
import { keepTraderSums } from '../fund/trader-sums.ts';
import { setLimit } from '../limits/set-limits.ts';
import { allRows, notKept } from '../testing/all-rows.ts';
import { fillEveryTable } from '../testing/every-table.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import { askToClose } from '../trades/close-asked.ts';
import type { OrderRow, TradeRow } from '../trades/trade-writes.ts';
import { addToFigures, writeTrades } from '../trades/trade-writes.ts';
import { lockSwitch, setSwitch } from '../trading/trading-states.ts';
import { backup } from './backup.ts';
import { restore } from './restore.ts';

const { size, seed } = runSize(1_500);
const random = seededRandom(seed);
const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)];
const folder = mkdtempSync(join(tmpdir(), 'flotilla-lived-in-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { db, url } = await freshDatabase();
await fillEveryTable(db);
const bots: string[] = [];
for (const nickname of ['bot 1', 'bot 2', 'bot 3'])
  bots.push(await addTestBot(db, { strategy: 'BuyAndHold', nickname, owner: 'lived@example.com' }));
const { userId } = await db
  .selectFrom('bots')
  .select('userId')
  .where('id', '=', bots[0] ?? '')
  .executeTakeFirstOrThrow();
const { id: apiKeyId } = await db.selectFrom('apiKeys').select('id').executeTakeFirstOrThrow();
await sql`update bots set api_key_id = ${apiKeyId}, mode = 'live' where id = ${bots[0]}`.execute(db);

const trades: TradeRow[] = [];
const orders: { order: OrderRow; trade: TradeRow }[] = [];
const ago = (): Date => new Date(Date.now() - Math.floor(random() * 90 * 86_400_000));
const amount = (): number => Number((random() * 10).toPrecision(1 + Math.floor(random() * 14)));
const botId = (): string => pick(bots);
const symbol = (): string => pick(['BTC/USDT', 'ETH/USDT', 'SOL/USDT']);

async function difference(work: (trx: Database, found: NonNullable<Awaited<ReturnType<typeof lockDifference>>>) => Promise<void>) {
  const [found] = (await listDifferences(db, null)).open;
  if (found === undefined) return;
  await db.transaction().execute(async (trx) => {
    const locked = await lockDifference(trx, found.id);
    if (locked !== null && locked.outcome === null) await work(trx, locked);
  });
}

/** What programs and people do, each with what is there at that moment; the database refuses what may not be. */
const deeds: readonly (() => Promise<unknown>)[] = [
  async () => {
    const trade = aTradeRow(botId(), {
      symbol: pick([symbol(), `${randomUUID()}/USDT`]),
      mode: pick(['paper', 'testnet', 'live']),
      openedAt: ago(),
      amount: amount(),
    });
    await writeTrades(db, [{ trade, orders: [], fills: [] }]);
    trades.push(trade);
  },
  ...[1, 2].map(() => async () => {
    const trade = pick(trades);
    if (trade === undefined) return;
    const known = pick(orders.filter((each) => each.trade === trade));
    // The same signal again, as after an exit that was not filled, or another one.
    const signalKey = random() < 0.6 ? known?.order.signalKey : undefined;
    const order = anOrderRow(trade, {
      purpose: pick(['entry', 'exit', 'adjust', 'stop']),
      status: 'planned',
      ...(signalKey === undefined ? {} : { signalKey }),
    });
    await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
    orders.push({ order, trade });
  }),
  ...[1, 2].map(() => async () => {
    const { order } = pick(orders) ?? {};
    if (order === undefined) return;
    await sql`update orders set status = ${pick(orderStates)}, closed_at = now() where client_order_id = ${order.clientOrderId}`.execute(
      db,
    );
  }),
  async () => {
    const { order, trade } = pick(orders) ?? {};
    if (order === undefined || trade === undefined) return;
    // Also long after its end: a late fill.
    const fill = aFillRow(order, { amount: amount() + 0.1, feeQuote: pick([null, '0.1']) });
    await writeTrades(db, [{ trade, orders: [], fills: [fill] }]);
    await sql`update orders set filled = filled + ${fill.amount} where client_order_id = ${order.clientOrderId}`.execute(db);
  },
  async () => {
    const trade = pick(trades);
    if (trade === undefined) return;
    const profit = amount() - 5;
    const closed: TradeRow = {
      ...trade,
      status: pick(['closed', 'closed', 'cancelled', 'failed']),
      closedAt: ago(),
      exitPrice: amount() + 1,
      profit,
    };
    await writeTrades(db, [{ trade: closed, orders: [], fills: [] }]);
    if (closed.status === 'closed')
      await addToFigures(db, { botId: trade.botId, mode: trade.mode, startingBalance: '300', profit, fees: '0.1', closedAt: new Date() });
  },
  async () => askToClose(db, pick(trades)?.id ?? randomUUID(), new Date()),
  async () => noteDifference(db, { botId: botId(), symbol: symbol(), expected: amount(), actual: amount() }),
  async () => endDifference(db, botId(), symbol()),
  async () => difference(ignoreDifference),
  async () => difference((trx, found) => endFound(trx, found, pick(['adopted', 'closed']))),
  async () =>
    askToAdopt(
      db,
      { botId: botId(), symbol: symbol() },
      { direction: pick(['long', 'short']), amount: amount() + 1, price: 100, fee: pick([null, 0.1]) },
      { closes: random() < 0.5, now: new Date() },
    ),
  async () => {
    const waiting = await sql<{ id: string }>`select id from adopted_holdings where done_at is null order by asked_at limit 1`.execute(db);
    await noteAdopted(db, waiting.rows[0]?.id ?? randomUUID(), pick(trades)?.id ?? randomUUID(), new Date());
  },
  async () =>
    noteUnrecorded(db, { apiKeyId, marketType: 'spot' }, [
      {
        botId: bots[0] ?? '',
        clientOrderId: `fl-${Math.floor(random() * 20)}`,
        exchangeOrderId: '7',
        symbol: symbol(),
        side: 'buy',
        type: pick(['limit', 'market', 'stop']),
        state: pick(['open', 'cancelled', 'filled']),
        requested: 1,
        filled: amount(),
        price: null,
        net: String(amount()),
        averagePrice: null,
        feeQuote: null,
        madeAt: new Date(),
      },
    ]),
  async () =>
    raiseAlarm(db, {
      kind: pick(['late-fill', 'unknown-order', 'limit-reached']),
      target: { level: 'bot', id: botId() },
      detail: pick(['a', 'b']),
      facts: { order: 'o' },
    }),
  async () =>
    endAlarm(db, { kind: pick(['unknown-order', 'limit-reached']), target: { level: 'bot', id: botId() }, detail: pick(['a', 'b']) }),
  async () => acknowledgeAlarms(db, [pick(await listAlarms(db, null))?.id ?? randomUUID()], { id: userId, seesAll: true }),
  async () => keepStandingAlarms(db, random() < 0.5 ? await listBotsWithoutRunner(db, 'on') : []),
  async () => {
    const target = pick([{ level: 'server' }, { level: 'user', id: userId }, { level: 'bot', id: botId() }] as const);
    await db.transaction().execute(async (trx) => {
      await lockSwitch(trx, target);
      await setSwitch(trx, target, { state: pick(['active', 'reducing', 'halted']), setBy: userId, isImposed: random() < 0.5 });
    });
  },
  async () =>
    setLimit(
      db,
      { level: 'bot', id: botId() },
      { name: pick(['daily-loss', 'open-orders']), currency: 'USDT', value: pick([null, String(amount() + 1)]), isCeiling: random() < 0.5 },
      userId,
    ),
  async () => setBotStatus(db, botId(), pick(['active', 'paused', 'stopped'])),
  async () =>
    writeAudit(db, { actorId: userId, actorRole: 'trader', action: pick(['a', 'b']), result: 'ok', detail: { text: 'Tab\tÜ\n' } }),
  async () => keepTraderSums(db),
  async () => askCertificate(db, botId(), ago().toISOString().slice(0, 10), userId),
  async () => {
    const claim = await claimCertificate(db);
    if (claim === null || random() < 0.2) return; // one that is interrupted
    if (random() < 0.3) return failCertificate(db, claim, 'It\tfailed.', claim.tries === 1);
    const money = { currency: 'USDT', promised: String(amount()), made: String(-amount()) };
    const differing = random() < 0.5 ? [] : [{ symbol: symbol(), candleTime: Date.now() }];
    return keepCertificate(db, claim, { mode: 'paper', ...money, differing, certificate: { lines: ['Ünï'] }, tookMs: 5 }, new Date());
  },
];

test(
  `OP-85 whatever state ${size} deeds lead to, a backup of it is restored to the same rows`,
  { timeout: 600_000 + size * 200 },
  async () => {
    const done = new Map<(typeof deeds)[number], number>();
    let refused = 0;
    for (let i = 0; i < size; i++) {
      const deed = pick(deeds);
      try {
        await deed();
        done.set(deed, (done.get(deed) ?? 0) + 1);
      } catch (error) {
        refused += 1;
        if ((error as { code?: string }).code === undefined) throw error; // what the database says no to is not a state
      }
    }
    expect(deeds.filter((deed) => !done.has(deed))).toEqual([]);

    // Chance leaves few orders in the states that are soon over.
    for (const status of orderStates) {
      const trade = aTradeRow(botId());
      await writeTrades(db, [{ trade, orders: [anOrderRow(trade, { status })], fills: [] }]);
    }
    await noteDifference(db, { botId: botId(), symbol: 'OPEN/USDT', expected: 1, actual: 2 });
    const states = async (table: string, column: string): Promise<unknown[]> =>
      (await sql<{ state: unknown }>`select distinct ${sql.ref(column)} as state from ${sql.table(table)} order by 1`.execute(db)).rows.map(
        ({ state }) => state,
      );
    expect(await states('orders', 'status')).toEqual(orderStates.toSorted());
    expect(await states('trades', 'status')).toEqual(['cancelled', 'closed', 'failed', 'open']);
    expect(await states('differences', 'outcome')).toEqual(['adopted', 'closed', 'gone', 'ignored', null]);
    const { rows: repeated } = await sql<{ n: number }>`
    select count(*)::int as n from orders o where filled = 0 and exists
      (select 1 from orders p where p.bot_id = o.bot_id and p.signal_key = o.signal_key and p.id <> o.id and p.filled > 0)`.execute(db);
    expect(repeated[0]?.n).toBeGreaterThan(0);

    const file = join(folder, 'backup');
    await backup(url, file);
    const target = await freshDatabase('template0');
    await restore(target.url, file);
    const [before, after] = [await allRows(db), await allRows(target.db)];
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const [table, rows] of Object.entries(before)) {
      expect(rows.length, `${table} has rows before`).toBeGreaterThan(0);
      expect(after[table], table).toEqual(notKept.includes(table) ? [] : rows);
    }
    report(`lived-in databases: ${size} deeds, ${refused} refused, ${orders.length} orders, ${trades.length} trades, seed ${seed}`);
  },
);
