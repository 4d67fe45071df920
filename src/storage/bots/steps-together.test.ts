import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { openDatabase } from '../database.ts';
import { LimitReached } from '../limits/limits.ts';
import { markSentTogether } from '../orders/order-outbox.ts';
import type { Step } from './running-bots.ts';
import { writeStep, writeStepsTogether } from './running-bots.ts';
import { Changed, renewLease } from './runners.ts';
import { anEntryStep } from '../testing/an-entry-step.ts';
import { anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import { together } from '../together.ts';
import { askByHand } from '../trades/manual-actions.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { lockSwitch, setSwitch } from '../trading/trading-states.ts';

const { db, url } = await freshDatabase();
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
const now = new Date(Date.UTC(2026, 2, 1, 12));

beforeEach(async () => {
  for (const table of ['limits', 'trading_states', 'decisions', 'fills', 'orders', 'trades', 'bots'])
    await sql`delete from ${sql.table(table)}`.execute(db);
});

const aStep = (owner?: string): Promise<Step> => anEntryStep(db, runnerId, now, owner);

/** What is in the database of some steps: their bots that have a trade, an order, a decision and a memory. */
async function written(steps: readonly Step[]): Promise<boolean[]> {
  const rows: boolean[] = [];
  for (const { holder } of steps) {
    const { rows: found } = await sql<{ counts: number[] }>`
      select array[(select count(*)::int from trades where bot_id = b.id), (select count(*)::int from orders where bot_id = b.id),
        (select count(*)::int from decisions where bot_id = b.id),
        (engine_state #>> '{testnet,of}' is not distinct from b.id::text and consecutive_losses = 2)::int] as counts
      from bots b where id = ${holder.id}`.execute(db);
    const counts = found[0]?.counts ?? [];
    expect([
      [0, 0, 0, 0],
      [1, 1, 1, 1],
    ]).toContainEqual(counts);
    rows.push(counts[0] === 1);
  }
  return rows;
}
const set = (state: 'active' | 'reducing', id: string) =>
  db.transaction().execute(async (trx) => {
    await lockSwitch(trx, { level: 'bot', id });
    await setSwitch(trx, { level: 'bot', id }, { state, setBy: null, isImposed: false });
  });

describe('OP-85 steps of several bots in one transaction', () => {
  test('are written as each alone would be', async () => {
    const steps = [await aStep(), await aStep(), await aStep('b@example.com')];
    expect([...(await writeStepsTogether(db, steps))]).toEqual(steps);
    expect(await written(steps)).toEqual([true, true, true]);
  });

  test.for([
    ['is another runner’s', (id: string) => sql`update bots set epoch = epoch + 1 where id = ${id}`.execute(db)],
    ['people have changed', (id: string) => sql`update bots set updated_at = now() + interval '1 s' where id = ${id}`.execute(db)],
    ['may not enter any more', (id: string) => set('reducing', id)],
  ] as const)('are written without that of a bot which %s', async ([, happens]) => {
    const steps = [await aStep(), await aStep(), await aStep()];
    await happens(steps[1]?.holder.id ?? '');
    expect([...(await writeStepsTogether(db, steps))]).toEqual([steps[0], steps[2]]);
    expect(await written(steps)).toEqual([true, false, true]);
    const { holder, mode, writes } = steps[1];
    await expect(writeStep(db, holder, mode, writes)).rejects.toThrow();
    expect(await written(steps)).toEqual([true, false, true]);
  });

  test('of which none may be written leave nothing behind', async () => {
    const steps = [await aStep(), await aStep()];
    await sql`update bots set epoch = epoch + 1`.execute(db);
    expect((await writeStepsTogether(db, steps)).size).toBe(0);
    expect(await written(steps)).toEqual([false, false]);
  });

  test('do not wait for a bot that somebody else has locked', async () => {
    const steps = [await aStep(), await aStep()];
    const other = openDatabase(url, { connections: 1 });
    onTestFinished(() => other.destroy());
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = other.transaction().execute(async (trx) => {
      await sql`select from bots where id = ${steps[0]?.holder.id} for update`.execute(trx);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const patient = openDatabase(url, { connections: 1 });
    onTestFinished(() => patient.destroy());
    await sql`set lock_timeout = 0`.execute(patient); // one that waits would wait for ever
    expect([...(await writeStepsTogether(patient, steps))]).toEqual([steps[1]]);
    release.resolve();
    await holding;
    expect(await written(steps)).toEqual([false, true]);
  });

  test('reach a limit together that each alone keeps: nothing is written, and alone only the first passes', async () => {
    const steps = [await aStep(), await aStep()];
    const [first, second] = steps as [Step, Step];
    await sql`insert into limits (level, user_id, name, currency, value)
      select 'user', user_id, 'position-value', 'USDT', 150 from bots where id = ${first.holder.id}`.execute(db);
    expect((await writeStepsTogether(db, steps)).size).toBe(0);
    expect(await written(steps)).toEqual([false, false]);
    await writeStep(db, first.holder, first.mode, first.writes);
    await expect(writeStep(db, second.holder, second.mode, second.writes)).rejects.toThrow(LimitReached);
    expect(await written(steps)).toEqual([true, false]);
  });

  test('of which one exceeds the limit of its own bot are not written', async () => {
    const steps = [await aStep(), await aStep()];
    await sql`insert into limits (level, bot_id, name, currency, value) values ('bot', ${steps[1]?.holder.id}, 'order-value', '', 99)`.execute(
      db,
    );
    expect((await writeStepsTogether(db, steps)).size).toBe(0);
    expect((await writeStepsTogether(db, steps.slice(0, 1))).size).toBe(1);
  });

  test('say what they did in the channels of each owner and in the chat of each strategy, in their sequence', async () => {
    const steps = [await aStep(), await aStep('b@example.com'), await aStep()];
    const [first, second, third] = steps as [Step, Step, Step];
    await sql`
      insert into channels (id, user_id, kind, name, hint, sealed, topics, summed_day)
      select gen_random_uuid(), id, 'ntfy', 'Phone', 'abcd', '{}', array['trade-opened'], '2026-03-01' from users`.execute(db);
    await sql`update strategies set webhook = '{}' where id in (select strategy_id from bots)`.execute(db);
    onTestFinished(async () => {
      await sql`delete from channels`.execute(db);
      await sql`update strategies set webhook = null`.execute(db);
    });
    const says = ({ writes }: Step, ...texts: string[]) => {
      writes.messages = texts.map((text) => ({ text, cells: [] }));
      const opened = texts.map((text) => ({ topic: 'trade-opened' as const, text }));
      writes.notices = [...opened, { topic: 'trade-closed', text: 'not wanted' }];
    };
    says(first, 'one', 'two');
    says(third, 'three');
    says(second, 'of b');
    expect((await writeStepsTogether(db, steps)).size).toBe(3);
    const { rows: notices } = await sql<{ email: string; botId: string; text: string }>`
      select u.email, m.bot_id, m.text from channel_messages m join channels c on c.id = m.channel_id join users u on u.id = c.user_id
      order by m.number`.execute(db);
    expect(notices).toEqual([
      { email: 'a@example.com', botId: first.holder.id, text: 'one' },
      { email: 'a@example.com', botId: first.holder.id, text: 'two' },
      { email: 'b@example.com', botId: second.holder.id, text: 'of b' },
      { email: 'a@example.com', botId: third.holder.id, text: 'three' },
    ]);
    const { rows: chat } = await sql<{ text: string }>`select text from trade_messages where kind = 'chat' order by text`.execute(db);
    expect(chat.map(({ text }) => text)).toEqual(['of b', 'one', 'three', 'two']);
  });

  test('of which one did what a person no longer wants are not written; alone only that one is refused', async () => {
    const steps = [await aStep(), await aStep()];
    const [first, second] = steps as [Step, Step];
    const ask = async ({ holder }: Step): Promise<string> => {
      const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', holder.id).executeTakeFirstOrThrow();
      const asked = { botId: holder.id, mode: 'testnet' as const, symbol: 'S', askedBy: userId, kind: 'enter' as const };
      return (await askByHand(db, { ...asked, direction: 'long', stake: 12.5, stopPrice: null })) ?? '';
    };
    for (const step of steps) step.writes.endedActions = [{ id: await ask(step), refusal: null, tradeId: null, clientOrderId: null }];
    await sql`update manual_actions set state = 'refused', refusal = 'too-late', ended_at = now() where bot_id = ${second.holder.id}`.execute(
      db,
    );
    expect((await writeStepsTogether(db, steps)).size).toBe(0);
    expect(await written(steps)).toEqual([false, false]);
    await expect(writeStep(db, second.holder, second.mode, second.writes)).rejects.toThrow(Changed);
    await writeStep(db, first.holder, first.mode, first.writes);
    expect(await written(steps)).toEqual([true, false]);
  });

  test('of which it is not known whether they were committed fail', async () => {
    const other = openDatabase(url, { connections: 1 });
    onTestFinished(() => other.destroy());
    const lost = together(db, async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await sql`select pg_terminate_backend(${rows[0]?.pid}::int)`.execute(other);
    });
    await expect(lost).rejects.toThrow();
    const failed = together(db, async (trx) => {
      await sql`select 1 / 0`.execute(trx);
    });
    expect(await failed).toBeNull();
  });
});

describe('OP-85 permits to send orders of several bots in one transaction', () => {
  const sendingOf = ({ holder, writes }: Step, isEntry = true) => ({
    holder,
    clientOrderId: writes.trades[0]?.orders[0]?.clientOrderId ?? '',
    isEntry,
    expiryMs: 2_000,
  });

  test('are given or refused to each for itself', async () => {
    const steps = [await aStep(), await aStep(), await aStep()];
    expect((await writeStepsTogether(db, steps)).size).toBe(3);
    const [first, second, third] = steps as [Step, Step, Step];
    const exit = anOrderRow(aTradeRow(second.holder.id, { mode: 'testnet' }), {
      status: 'planned',
      purpose: 'exit',
      tradeId: second.writes.trades[0]?.trade.id ?? '',
    });
    await writeTrades(db, [{ trade: second.writes.trades[0].trade, orders: [exit], fills: [] }]);
    await set('reducing', second.holder.id);
    await sql`update orders set status = 'cancelled' where bot_id = ${third.holder.id}`.execute(db);
    const leaving = { ...sendingOf(second, false), clientOrderId: exit.clientOrderId };
    expect(await markSentTogether(db, [...steps.map((step) => sendingOf(step)), leaving])).toEqual([
      { kind: 'sent', expiresInMs: 2_000 },
      { kind: 'forbidden' },
      { kind: 'moved' },
      { kind: 'sent', expiresInMs: 2_000 },
    ]);
    const { rows } = await sql<{ id: string; status: string; attempt: number; detail: string | null }>`
      select o.client_order_id as id, o.status, o.attempt, (select e.detail from order_events e where e.order_id = o.id and e.state = 'sent') as detail
      from orders o`.execute(db);
    const row = (of: Step) => rows.find(({ id }) => id === sendingOf(of).clientOrderId);
    expect([first, second, third].map(row)).toMatchObject([
      { status: 'sent', attempt: 1, detail: 'attempt 1, valid for 2000 ms' },
      { status: 'planned', detail: null },
      { status: 'cancelled', detail: null },
    ]);
  });

  test('are given without that of a bot which is another runner’s', async () => {
    const steps = [await aStep(), await aStep()];
    expect((await writeStepsTogether(db, steps)).size).toBe(2);
    await sql`update bots set epoch = epoch + 1 where id = ${steps[1]?.holder.id}`.execute(db);
    expect(
      await markSentTogether(
        db,
        steps.map((step) => sendingOf(step)),
      ),
    ).toEqual([{ kind: 'sent', expiresInMs: 2_000 }, null]);
    expect(await db.selectFrom('orders').select('botId').where('status', '<>', 'planned').execute()).toEqual([
      { botId: steps[0]?.holder.id },
    ]);
  });
});
