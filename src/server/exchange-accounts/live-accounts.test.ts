import { noteAccountCheck } from '#storage/exchange-accounts/account-checks.ts';
import { endDifference, noteDifference } from '#storage/differences/differences.ts';
import { noteExchangeFigures, renewLease } from '#storage/bots/runners.ts';
import { aFillRow, anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

/** A bot that is live with a key, which is made with the first of them. */
async function addLiveBot(owner: string, apiKeyId: string, nickname: string): Promise<string> {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname, owner, symbols: ['SOL/USDT'] });
  await sql`insert into api_keys (id, user_id, exchange_id, label, key_hint, sealed, created_at, checked_at, check_result)
    select ${apiKeyId}, user_id, 'sandbox', 'main', 'abcd', '{}', now(), now(), 'ok' from bots where id = ${id} on conflict do nothing`.execute(
    db,
  );
  await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${id}`.execute(db);
  return id;
}

test('ADD-live-accounts an owner sees how an account stands that live bots trade with, an admin those of all, nobody else', async () => {
  const [owner, admin, other] = [await server.signedIn('trader'), await server.signedIn('admin'), await server.signedIn('operator')];
  const apiKeyId = randomUUID();
  const bots = [];
  for (const nickname of ['one', 'two']) bots.push({ id: await addLiveBot(owner.email, apiKeyId, nickname), nickname });
  const find = async (person = owner) => (await person.listLiveAccounts({})).accounts.find(({ account_id: id }) => id === apiKeyId);
  expect(await find()).toEqual({
    account_id: apiKeyId,
    owner: null,
    exchange_id: 'sandbox',
    market_type: 'spot',
    key_label: 'main',
    key_hint: 'abcd',
    key_check: 'ok',
    has_runner: false,
    compared_at: null,
    clock_offset_ms: null,
    budget_used: null,
    bots,
    unknown_orders: 0,
    oldest_unknown_at: null,
    differences: 0,
    unprotected: 0,
    longest_stop_gap_ms: null,
    left_over: [],
  });
  expect(await find(admin)).toMatchObject({ owner: owner.email });
  expect(await find(other)).toBeUndefined();

  const runner = { id: randomUUID(), host: 'test', exchanges: ['sandbox'] };
  await renewLease(db, runner, 60_000, true);
  await noteExchangeFigures(db, runner.id, { sandbox: { offsetMs: -12, used: 0.25 } });
  await noteAccountCheck(db, apiKeyId, 'spot');
  const botId = bots[0]?.id ?? '';
  await sql`update bots set runner_id = ${runner.id} where id = ${botId}`.execute(db);
  const trade = aTradeRow(botId, { mode: 'testnet', symbol: 'SOL/USDT', amount: 1.25, entryPrice: 150, openedAt: secondsAgo(100) });
  const entry = anOrderRow(trade, { status: 'filled', filled: 1.252 });
  const exit = anOrderRow(trade, { purpose: 'exit', side: 'sell', status: 'unknown', plannedAt: secondsAgo(30) });
  const fill = aFillRow(entry, { amount: 1.252, fee: 0.001252, feeCurrency: 'SOL', filledAt: secondsAgo(90) });
  await writeTrades(db, [{ trade, orders: [entry, exit], fills: [fill] }]);
  const unknownAt = secondsAgo(29);
  await sql`insert into order_events (order_id, state, at) select id, 'unknown', ${unknownAt} from orders where client_order_id = ${exit.clientOrderId}`.execute(
    db,
  );
  await noteDifference(db, { botId, symbol: 'SOL/USDT', expected: 1.25, actual: 1 });
  const found = await find();
  expect(found).toMatchObject({
    has_runner: true,
    clock_offset_ms: -12,
    budget_used: 0.25,
    unknown_orders: 1,
    oldest_unknown_at: unknownAt.toISOString(),
    differences: 1,
    unprotected: 1,
    left_over: [{ symbol: 'SOL/USDT', amount: 0.000748, worth: 0.000748 * 150 }],
  });
  expect(Date.now() - Date.parse(found?.compared_at ?? '')).toBeLessThan(60_000);
  await sql`update runners set expires_at = now() - interval '1 second' where id = ${runner.id}`.execute(db);
  expect(await find()).toMatchObject({ has_runner: false, clock_offset_ms: null });
});

test('ADD-live-accounts of several bots with one key the longest gap between stops counts and the oldest unknown order, and of differences those that are open', async () => {
  const owner = await server.signedIn('trader');
  const apiKeyId = randomUUID();
  const unknownSince = [secondsAgo(20), secondsAgo(50), secondsAgo(30)];
  for (const [i, gapMs] of [5_000, 20_000, 10_000].entries()) {
    const botId = await addLiveBot(owner.email, apiKeyId, `bot ${i}`);
    const trade = aTradeRow(botId, { mode: 'testnet', symbol: 'SOL/USDT', openedAt: secondsAgo(200) });
    const stop = { purpose: 'stop', side: 'sell', status: 'planned', exchangeOrderId: String(i) } as const;
    const former = anOrderRow(trade, { ...stop, plannedAt: secondsAgo(150) });
    const next = anOrderRow(trade, { ...stop, plannedAt: secondsAgo(100) });
    const lost = anOrderRow(trade, { purpose: 'exit', side: 'sell', status: 'unknown', plannedAt: secondsAgo(60) });
    await writeTrades(db, [{ trade, orders: [former, next, lost], fills: [] }]);
    const ended = secondsAgo(100);
    for (const [{ clientOrderId }, state, at] of [
      [former, 'open', secondsAgo(149)],
      [former, 'cancelled', ended],
      [next, 'open', new Date(ended.getTime() + gapMs)],
      [lost, 'unknown', unknownSince[i]],
    ] as const)
      await sql`insert into order_events (order_id, state, at) select id, ${state}, ${at} from orders where client_order_id = ${clientOrderId}`.execute(
        db,
      );
    await noteDifference(db, { botId, symbol: 'SOL/USDT', expected: 1, actual: 0.5 });
    if (i > 0) await endDifference(db, botId, 'SOL/USDT');
  }
  expect((await owner.listLiveAccounts({})).accounts).toMatchObject([
    { unknown_orders: 3, oldest_unknown_at: unknownSince[1]?.toISOString(), differences: 1, longest_stop_gap_ms: 20_000 },
  ]);
});
