import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { acknowledgeAlarms } from '../alarms/alarms.ts';
import { writeAudit } from '../audit/audit-log.ts';
import { endDifference, noteDifference } from './differences.ts';
import { endFound, listDifferences, lockDifference } from './found-differences.ts';
import type { FoundOrder } from './unrecorded-orders.ts';
import { noteUnrecorded } from './unrecorded-orders.ts';

const { db } = await freshDatabase();
const symbol = 'BTC/USDT:USDT';
const id = await addTestBot(db, { strategy: 'BuyAndHold', marketType: 'futures', symbols: [symbol] });
const apiKeyId = await goLive(db, id);
const second = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'second', marketType: 'futures', symbols: [symbol] });
await sql`update bots set api_key_id = ${apiKeyId}, mode = 'live' where id = ${second}`.execute(db);

let made = 0;

const found = (filled: number, botId = id): FoundOrder => ({
  botId,
  clientOrderId: `fl-lost-${made}${botId === id ? '' : '-other'}`,
  exchangeOrderId: '1',
  symbol,
  side: 'buy',
  type: 'market',
  state: 'filled',
  requested: 2,
  filled,
  price: null,
  net: String(filled),
  averagePrice: '100',
  feeQuote: '0',
  madeAt: new Date(),
});
const note = (filled: number) => noteUnrecorded(db, { apiKeyId, marketType: 'futures' }, [found(filled)]);

test.each([
  ['a search that finds more of the order', () => note(2)],
  ['a comparison that finds other amounts', () => noteDifference(db, { botId: id, symbol, expected: 0, actual: 2 })],
  ['a comparison that finds it gone', () => endDifference(db, id, symbol)],
  ['a comparison that finds that of another bot of the account gone', () => endDifference(db, second, symbol)],
])('a person who decides and %s come one after the other', async (_, other) => {
  made += 1;
  await note(1);
  const [open] = (await listDifferences(db, null)).open;
  let meanwhile: Promise<void> = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    const locked = await lockDifference(trx, open?.id ?? '');
    meanwhile = other();
    await untilWaiting(db, 1); // it has begun, and holds nothing that is needed here
    if (locked !== null) await endFound(trx, locked, 'adopted');
  });
  await meanwhile;
  expect((await listDifferences(db, null)).ended[0]).toMatchObject({ id: open?.id, outcome: 'adopted' });
  await endDifference(db, id, symbol);
});

test('a search that finds orders of two bots and somebody who takes note of an alarm of one lock alarms and audit log in one sequence', async () => {
  made += 1;
  const other = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'other', marketType: 'futures', symbols: [symbol] });
  await sql`update bots set api_key_id = ${apiKeyId}, mode = 'live' where id = ${other}`.execute(db);
  await note(1);
  await noteUnrecorded(db, { apiKeyId, marketType: 'futures' }, [found(1, other)]);
  made += 1;
  const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', id).executeTakeFirstOrThrow();
  const { rows } = await sql<{ id: string }>`
    select id from alarms where kind = 'unrecorded-order' and bot_id = ${other} and ended_at is null`.execute(db);
  let meanwhile: Promise<void> = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    await acknowledgeAlarms(trx, [rows[0]?.id ?? ''], { id: userId, seesAll: true });
    meanwhile = noteUnrecorded(db, { apiKeyId, marketType: 'futures' }, [found(1), found(1, other)]);
    await untilWaiting(db, 1);
    await writeAudit(trx, { actorId: userId, actorRole: null, action: 'acknowledge-alarm', target: 'bot', result: 'ok' });
  });
  await meanwhile;
  const { rows: noted } = await sql`select 1 from unrecorded_orders where client_order_id like ${`fl-lost-${made}%`}`.execute(db);
  expect(noted).toHaveLength(2);
});
