import { minuteMs } from '#engine/market/durations.ts';
import { exchangeFigures } from '#feeds/exchange-clocks.ts';
import { giveKey } from '#storage/bots/bots.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { lockSwitch, setSwitch } from '#storage/trading/trading-states.ts';
import { expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer({ liveTrading: 'off' });
const { db } = server.dependencies;

test('ADD-live-check says what is known: key, kill switch, open trades, store, clock, password', async () => {
  const owner = await server.signedIn('trader');
  const id = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email });
  const check = () => owner.liveCheck({ params: { id } });
  // Whether its clock was measured, and against which market, depends on what else this process has done.
  const { offsetsMs } = await exchangeFigures();
  expect(await check()).toEqual({
    clock_offset_ms: offsetsMs.get('sandbox') ?? null,
    key: null,
    live_enabled: false,
    store_fault: null,
    trading_state: 'active',
    owner_verified: true,
    open_trades: 0,
    password_needed: false,
    drill: null,
  });
  const checkedAt = new Date();
  const key = await db
    .insertInto('apiKeys')
    .values({
      userId: owner.userId,
      exchangeId: 'sandbox',
      label: 'main',
      keyHint: '9f3c',
      sealed: '{}',
      checkedAt,
      checkResult: 'ok',
      canTrade: true,
      canWithdraw: false,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await giveKey(db, id, key.id);
  await writeTrades(db, [{ trade: aTradeRow(id), orders: [], fills: [] }]);
  await db.transaction().execute(async (trx) => {
    await lockSwitch(trx, { level: 'user', id: owner.userId });
    await setSwitch(trx, { level: 'user', id: owner.userId }, { state: 'reducing', setBy: null, isImposed: false });
  });
  server.pass(11 * minuteMs);
  expect(await check()).toMatchObject({
    key: { label: 'main', hint: '9f3c', checked_at: checkedAt.toISOString(), check: 'ok', can_trade: true, can_withdraw: false },
    trading_state: 'reducing',
    open_trades: 1,
    password_needed: true,
  });
  await owner.confirmPassword({ body: { password } });
  expect(await check()).toMatchObject({ password_needed: false });
});

test('ADD-live-check is for the owner and admins, and shows nothing of the secret', async () => {
  const owner = await server.signedIn('trader');
  const id = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email });
  for (const role of ['trader', 'operator', 'investor'] as const)
    expect((await failure((await server.signedIn(role)).liveCheck({ params: { id } }))).message).toBe(
      '403 You do not have access to this bot',
    );
  expect(Object.keys(await (await server.signedIn('admin')).liveCheck({ params: { id } }))).not.toContain('sealed');
});
