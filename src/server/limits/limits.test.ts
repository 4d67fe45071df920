import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { raiseAlarm } from '#storage/alarms/alarms.ts';
import { lockSetLimits, setLimit } from '#storage/limits/set-limits.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
type Changes = Parameters<Person['changeLimits']>[0]['body']['changes'];
let admin: Person;
let trader: Person;
let botId = '';

beforeEach(async () => {
  admin = await server.signedIn('admin');
  trader = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'mine', owner: trader.email });
});
afterEach(async () => {
  for (const table of ['limits', 'alarms']) await sql`delete from ${sql.table(table)}`.execute(db);
});

const stale = (person: Person) =>
  sql`update sessions set authenticated_at = authenticated_at - interval '11 minutes' where user_id = ${person.userId}`.execute(db);
const setBot = (person: Person, ...changes: Changes) => person.changeLimits({ body: { level: 'bot', id: botId, changes } });
const amount = (value: number | null): Changes[number] => ({ name: 'order-value', currency: 'USDT', value });
const orderValue = async (person: Person) => (await person.getLimits({ query: { level: 'bot', id: botId } })).limits[0];
const records = async () =>
  (await db.selectFrom('auditLog').select(['target', 'detail']).where('action', '=', 'change-limits').orderBy('id').execute()).slice(-1);

describe('limits of a bot', () => {
  test('are shown with their defaults, in the sequence in which they are checked', async () => {
    const { mode, name, limits } = await trader.getLimits({ query: { level: 'bot', id: botId } });
    expect({ mode, name }).toEqual({ mode: 'paper', name: 'mine' });
    const nothing = { is_default: true, stricter: null, set_by: null, set_at: null, ceiling: null, may_raise: true, has_no_rate: false };
    expect(limits).toEqual([
      { name: 'order-value', currency: 'USDT', value: 300, default: 300, use: 0, ...nothing },
      { name: 'position-value', currency: 'USDT', value: 300, default: 300, use: 0, ...nothing },
      { name: 'open-orders', currency: null, value: 10, default: 10, use: 0, ...nothing },
      { name: 'orders-per-minute', currency: null, value: 20, default: 20, use: 0, ...nothing },
      { name: 'price-collar', currency: null, value: 0.02, default: 0.02, use: null, ...nothing },
      { name: 'leverage', currency: null, value: 1, default: 1, use: 0, ...nothing },
      { name: 'daily-loss', currency: 'USDT', value: 150, default: 150, use: 0, ...nothing },
      { name: 'drawdown', currency: null, value: 0.5, default: 0.5, use: 0, ...nothing },
    ]);
  });

  test('lowering needs no password, raising does; both are recorded with before and after', async () => {
    await stale(trader);
    await setBot(trader, amount(100.5), { name: 'drawdown', currency: null, value: 0.3 });
    expect(await records()).toEqual([
      { target: `bot ${botId}`, detail: { 'order-value USDT': { from: '300', to: '100.5' }, drawdown: { from: '0.5', to: '0.3' } } },
    ]);
    expect(await failure(setBot(trader, amount(101)))).toMatchObject({ status: 403, detail: 'Enter your current password to continue.' });
    // The default is higher than what was set.
    expect(await failure(setBot(trader, amount(null)))).toMatchObject({ status: 403 });
    expect(await orderValue(trader)).toMatchObject({ value: 100.5, is_default: false, set_by: trader.email });
    const fresh = await server.signedIn('admin');
    await setBot(fresh, amount(null));
    expect(await orderValue(trader)).toMatchObject({ value: 300, is_default: true });
    expect(await records()).toMatchObject([{ detail: { 'order-value USDT': { from: '100.5', to: '300', default: true } } }]);
  });

  test('are higher by their value, not by their text', async () => {
    await stale(trader);
    await setBot(trader, amount(9));
    expect(await failure(setBot(trader, amount(100)))).toMatchObject({ status: 403 });
    expect(await failure(setBot(trader, amount(9.5)))).toMatchObject({ status: 403 });
    await setBot(trader, amount(8));
    expect(await orderValue(trader)).toMatchObject({ value: 8 });
  });

  test('are changed all or none', async () => {
    await stale(trader);
    expect(await failure(setBot(trader, amount(100), { name: 'drawdown', currency: null, value: 0.9 }))).toMatchObject({ status: 403 });
    expect(await orderValue(trader)).toMatchObject({ value: 300 });
    expect(await failure(setBot(trader, amount(100), { ...amount(5), currency: 'BTC' }))).toMatchObject({ status: 400 });
    expect(await orderValue(trader)).toMatchObject({ value: 300 });
  });

  test('that an administrator has set are raised by administrators only; the owner may lower them', async () => {
    await setBot(admin, amount(200));
    expect(await orderValue(trader)).toMatchObject({ value: 200, may_raise: false, set_by: null });
    expect(await failure(setBot(trader, amount(201)))).toMatchObject({
      status: 403,
      detail: 'An administrator has set this limit. Only an administrator can raise it.',
    });
    await setBot(admin, amount(250));
    expect(await orderValue(admin)).toMatchObject({ value: 250, may_raise: true, set_by: admin.email });
  });

  test('that an administrator has set are a ceiling: nothing its owner does takes it away', async () => {
    const refused = { status: 403, detail: 'An administrator has set this limit. Only an administrator can raise it.' };
    for (const level of ['bot', 'user'] as const) {
      const id = level === 'bot' ? botId : trader.userId;
      if (level === 'user') await sql`update bots set mode = 'live' where id = ${botId}`.execute(db);
      const change = (person: Person, value: number | null) => person.changeLimits({ body: { level, id, changes: [amount(value)] } });
      const seen = async () => (await trader.getLimits({ query: { level, id } })).limits.find(({ name }) => name === 'order-value');
      await change(trader, 40);
      await change(admin, 50); // in place of the owner's
      expect(await seen()).toMatchObject({ value: 50, ceiling: 50, default: 50, is_default: false, may_raise: false, set_by: null });
      await change(trader, 50); // the same value is not another owner's
      for (const value of [100, 50.01]) expect(await failure(change(trader, value))).toMatchObject(refused);
      await change(trader, null);
      expect(await seen()).toMatchObject({ value: 50, ceiling: 50 });
      await change(trader, 20);
      expect(await seen()).toMatchObject({ value: 20, ceiling: 50, may_raise: true, set_by: trader.email });
      await stale(trader);
      expect(await failure(change(trader, 30))).toMatchObject({ status: 403, detail: 'Enter your current password to continue.' });
      await trader.confirmPassword({ body: { password } });
      expect(await failure(change(trader, 51))).toMatchObject(refused);
      await change(trader, 30);
      expect(await seen()).toMatchObject({ value: 30, ceiling: 50 });
      await change(admin, 25);
      expect(await seen()).toMatchObject({ value: 25, ceiling: 25, may_raise: false });
      expect(await records()).toMatchObject([{ detail: { 'order-value USDT': { from: '30', to: '25', imposed: true } } }]);
      await change(admin, null);
      expect(await seen()).toMatchObject({ value: level === 'bot' ? 300 : 450, ceiling: null, is_default: true });
    }
  });

  test('an administrator who owns the bot is bound by no ceiling, and lifts it', async () => {
    await sql`update bots set user_id = ${admin.userId} where id = ${botId}`.execute(db);
    const other = await server.signedIn('admin');
    await setBot(other, amount(50));
    await setBot(admin, amount(30));
    expect(await orderValue(admin)).toMatchObject({ value: 30, ceiling: 50, may_raise: true });
    await setBot(admin, amount(80));
    expect(await orderValue(admin)).toMatchObject({ value: 80, ceiling: null });
  });

  test('are nobody else’s', async () => {
    const other = await server.signedIn('trader');
    expect(await failure(other.getLimits({ query: { level: 'bot', id: botId } }))).toMatchObject({ status: 403 });
    expect(await failure(setBot(other, amount(5)))).toMatchObject({ status: 403 });
    expect(await failure(other.getLimits({ query: { level: 'user', id: trader.userId } }))).toMatchObject({ status: 403 });
    expect(await failure(other.changeLimits({ body: { level: 'user', id: trader.userId, changes: [amount(5)] } }))).toMatchObject({
      status: 403,
    });
    expect(await failure(other.getLimits({ query: { level: 'server' } }))).toMatchObject({ status: 403 });
    expect(await failure(other.changeLimits({ body: { level: 'server', changes: [amount(5)] } }))).toMatchObject({ status: 403 });
  });

  test.each([
    { name: 'order-value', currency: 'USDT', value: 0 },
    { name: 'open-orders', currency: null, value: 1.5 },
    { name: 'price-collar', currency: null, value: 1.01 },
    { name: 'leverage', currency: null, value: 126 },
    { name: 'drawdown', currency: null, value: -0.1 },
  ] as const)('are not set to what makes no sense: %o', async (change) => {
    expect(await failure(setBot(trader, change))).toMatchObject({ status: 400, detail: 'The value of a limit is out of range' });
  });

  test('of an owner or the server that are stricter are named', async () => {
    await sql`update bots set mode = 'live' where id = ${botId}`.execute(db);
    await trader.changeLimits({ body: { level: 'user', changes: [amount(120)] } });
    await admin.changeLimits({ body: { level: 'server', changes: [amount(90), { name: 'leverage', currency: null, value: 2 }] } });
    const { mode, limits } = await trader.getLimits({ query: { level: 'bot', id: botId } });
    expect(mode).toBe('testnet');
    expect(limits.filter(({ stricter }) => stricter !== null).map(({ name, stricter }) => [name, stricter])).toEqual([
      ['order-value', { level: 'server', value: 90, has_no_rate: false }],
    ]);
  });
});

test('limits of a user and of the server: amounts by currency, of the bots that trade at an exchange', async () => {
  const inEuro = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'euro', owner: trader.email });
  await sql`update bots set stake_currency = 'EUR', mode = 'live' where id = ${inEuro}`.execute(db);
  const { name, limits } = await trader.getLimits({ query: { level: 'user' } });
  expect(name).toBe(trader.email);
  expect(limits.filter((limit) => limit.name === 'daily-loss')).toMatchObject([
    { currency: 'EUR', value: 180 },
    { currency: 'USDT', value: 0 }, // no bot trades it with orders at an exchange
  ]);
  expect(limits.filter((limit) => limit.name === 'open-orders')).toMatchObject([{ currency: null, value: 200 }]);
  expect((await admin.getLimits({ query: { level: 'server' } })).limits.length).toBeGreaterThanOrEqual(11);
  const change = await trader.changeLimits({ body: { level: 'user', changes: [{ name: 'daily-loss', currency: 'EUR', value: 50 }] } });
  expect(change.limits.find((limit) => limit.name === 'daily-loss' && limit.currency === 'EUR')).toMatchObject({
    value: 50,
    is_default: false,
  });
  expect(
    (await admin.getLimits({ query: { level: 'user', id: trader.userId } })).limits.find(({ currency }) => currency === 'EUR'),
  ).toBeDefined();
  expect(await failure(admin.getLimits({ query: { level: 'user', id: randomUUID() } }))).toMatchObject({ status: 404 });
});

describe('an amount that an administrator imposes in one currency', () => {
  const inUsdc = { name: 'order-value', currency: 'USDC' } as const;
  const impose = (...changes: Changes) => admin.changeLimits({ body: { level: 'user', id: trader.userId, changes } });
  const own = (...changes: Changes) => trader.changeLimits({ body: { level: 'user', changes } });
  const shown = async (currency: string, person = trader) =>
    (await person.getLimits({ query: { level: 'user', id: trader.userId } })).limits.find(
      (limit) => limit.name === 'order-value' && limit.currency === currency,
    );

  beforeEach(async () => {
    const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'other', owner: trader.email });
    await sql`update bots set stake_currency = 'USDC', mode = 'live', exchange_id = 'binance' where id = ${id}`.execute(db);
    await impose(amount(50));
  });

  test('is shown as the ceiling that it is in another, and its owner sets nothing above it there', async () => {
    const ceiling = { value: 50, default: 50, is_default: false, ceiling: 50, may_raise: false };
    expect(await shown('USDC')).toMatchObject(ceiling);
    expect(await failure(own({ ...inUsdc, value: 51 }))).toMatchObject({
      detail: 'An administrator has set this limit. Only an administrator can raise it.',
    });
    await own({ ...inUsdc, value: 20 });
    expect(await shown('USDC')).toMatchObject({ value: 20, ceiling: 50 });
    await own({ ...inUsdc, value: null });
    expect(await shown('USDC')).toMatchObject(ceiling);
  });

  test('and one that is one’s own move what holds in another only with the password, and the audit log says so', async () => {
    await impose(amount(null));
    await sql`update bots set mode = 'live', exchange_id = 'binance', stake_currency = case id when ${botId} then 'USDT' else 'BTC' end where user_id = ${trader.userId}`.execute(
      db,
    );
    const byDefault = { usdt: (await shown('USDT'))?.value ?? 0, btc: (await shown('BTC'))?.value ?? 0 };
    await own(amount(100_000)); // above the default, and a bound elsewhere
    expect([(await shown('USDT'))?.value, (await shown('BTC'))?.value]).toEqual([100_000, 1]);
    await stale(trader);
    const before = await records();
    const back = own(amount(null)); // less in dollars, and more in coins
    expect(await failure(back)).toMatchObject({ status: 403, detail: 'Enter your current password to continue.' });
    expect([(await shown('BTC'))?.value, await records()]).toEqual([1, before]);
    // What is set in coins gives no more dollars than nobody had to ask for.
    await own({ ...amount(0.9), currency: 'BTC' });
    await impose(amount(null));
    expect((await records())[0]?.detail).toEqual({
      'order-value USDT': { from: '100000', to: String(byDefault.usdt), default: true, imposed: true },
      'order-value USDT testnet': { from: '100000', to: '0', default: true, imposed: true },
    });
    expect([(await shown('USDT'))?.value, (await shown('BTC'))?.value]).toEqual([byDefault.usdt, 0.9]);
    await impose({ ...amount(null), currency: 'BTC' });
    await impose(amount(10));
    expect((await records())[0]?.detail).toEqual({
      'order-value USDT': { from: String(byDefault.usdt), to: '10', imposed: true },
      'order-value BTC': { from: String(byDefault.btc), to: '0.0001', moved: true, imposed: true },
    });
  });

  test('is lifted there by an administrator, with a ceiling in that currency', async () => {
    await impose({ ...inUsdc, value: 80 });
    expect([(await shown('USDT'))?.value, (await shown('USDC'))?.value]).toEqual([50, 80]);
    expect((await records())[0]?.detail).toEqual({ 'order-value USDC': { from: '50', to: '80', imposed: true } });
    await impose({ ...inUsdc, value: null });
    expect(await shown('USDC')).toMatchObject({ value: 50 });
    const back = { from: '80', default: true, imposed: true };
    expect((await records())[0]?.detail).toEqual({
      'order-value USDC': { ...back, to: '50' },
      'order-value USDC testnet': { ...back, to: '0' }, // nobody trades there
    });
  });

  test('may be in one that none of the bots has yet; owners cannot do that, and nobody in one whose worth is not known', async () => {
    const inCoins = { ...inUsdc, currency: 'BTC' };
    expect(await failure(own({ ...inCoins, value: 0.0001 }))).toMatchObject({ status: 400 });
    await impose({ ...inCoins, value: 0.001 });
    expect(await shown('BTC', admin)).toMatchObject({ value: 0.001, ceiling: 0.001 });
    expect(await failure(impose({ ...inUsdc, currency: 'XYZ', value: 1 }))).toMatchObject({ status: 400 });
  });

  test('that lets nothing be entered in a currency with which it cannot be compared gives way to one there: that is a raise', async () => {
    await sql`update bots set stake_currency = 'XYZ' where stake_currency = 'USDC' and user_id = ${trader.userId}`.execute(db);
    expect(await shown('XYZ')).toMatchObject({ has_no_rate: true, ceiling: null });
    const there = { ...inUsdc, currency: 'XYZ', value: 10 };
    await stale(admin);
    expect(await failure(impose(there))).toMatchObject({ status: 403, detail: 'Enter your current password to continue.' });
    expect(await failure(impose(amount(null)))).toMatchObject({ status: 403 }); // it would lift that, too
    expect(await shown('XYZ')).toMatchObject({ has_no_rate: true });
    const fresh = await server.signedIn('admin');
    await fresh.changeLimits({ body: { level: 'user', id: trader.userId, changes: [there] } });
    expect(await shown('XYZ')).toMatchObject({ has_no_rate: false, value: 10, ceiling: 10 });
    expect((await records())[0]?.detail).toMatchObject({ 'order-value XYZ': { from: '0', to: '10', imposed: true } });
  });

  test('binds an administrator of whom it is a limit until they set another', async () => {
    const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'of the admin', owner: admin.email });
    await sql`update bots set stake_currency = 'USDC', mode = 'live' where id = ${id}`.execute(db);
    const other = await server.signedIn('admin');
    await other.changeLimits({ body: { level: 'user', id: admin.userId, changes: [amount(50)] } });
    const { limits } = await admin.changeLimits({ body: { level: 'user', changes: [{ ...inUsdc, value: 300 }] } });
    expect(limits.find(({ name, currency }) => name === 'order-value' && currency === 'USDC')).toMatchObject({ value: 300 });
  });
});

describe('limits of a user and of the server, which hold for real money and for test networks alike,', () => {
  const lossOf = (level: 'user' | 'server', value: number | null) => ({
    body: { level, changes: [{ name: 'daily-loss' as const, currency: 'USDT', value }] },
  });
  const passwordNeeded = { status: 403, detail: 'Enter your current password to continue.' };
  const balance = (id: string, amount: number) =>
    sql`update bots set mode = 'live', starting_balance = ${amount}, stake_amount = ${amount}, max_open_trades = 1 where id = ${id}`.execute(
      db,
    );
  let liveId = '';

  beforeEach(async () => {
    liveId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'real', owner: trader.email });
    await sql`update bots set exchange_id = 'binance' where id = ${liveId}`.execute(db);
    await sql`delete from bots where id not in (${botId}, ${liveId})`.execute(db);
    await balance(botId, 100_000);
    await balance(liveId, 100);
  });

  test.each(['user', 'server'] as const)('are raised with the password when they rise in either (%s)', async (level) => {
    const person = level === 'user' ? trader : admin;
    await stale(person);
    expect(await failure(person.changeLimits(lossOf(level, 50_000)))).toMatchObject(passwordNeeded); // from 60 with real money
    await person.changeLimits(lossOf(level, 50));
    expect(await records()).toMatchObject([
      { detail: { 'daily-loss USDT': { from: '60', to: '50' }, 'daily-loss USDT testnet': { from: '60000', to: '50' } } },
    ]);
    await person.changeLimits(lossOf(level, 40));
    expect((await records())[0]?.detail).toEqual({ 'daily-loss USDT': { from: '50', to: '40' } }); // in both the same
    expect(await failure(person.changeLimits(lossOf(level, 41)))).toMatchObject(passwordNeeded);
    await person.confirmPassword({ body: { password } });
    await person.changeLimits(lossOf(level, 50_000));
    await stale(person);
    await person.changeLimits(lossOf(level, 50)); // lower in both again
  });

  test('go back to their default with the password when that is higher in either', async () => {
    await trader.changeLimits(lossOf('user', 100));
    await stale(trader);
    // Back to 60 with real money, and to 60,000 on the test network, of which nothing is used.
    expect(await failure(trader.changeLimits(lossOf('user', null)))).toMatchObject(passwordNeeded);
    await sql`
      insert into bot_figures (bot_id, mode, day, day_profit, peak_balance, realized_pnl)
      values (${botId}, 'testnet', (now() at time zone 'UTC')::date, -90, 100000, -90)`.execute(db);
    await balance(botId, 120);
    await balance(liveId, 100_000); // now the one that is shown, as more of it is used, is the test network's: its default is 72
    expect(await failure(trader.changeLimits(lossOf('user', null)))).toMatchObject(passwordNeeded);
  });

  test('are lowered without it where nothing trades on a test network', async () => {
    await sql`delete from bots where id = ${botId}`.execute(db);
    await stale(trader);
    await trader.changeLimits(lossOf('user', 50));
    expect((await records())[0]?.detail).toEqual({ 'daily-loss USDT': { from: '60', to: '50' } });
  });

  test('are set with it where nothing trades with real money: what is set will hold for that too', async () => {
    await sql`delete from bots where id = ${liveId}`.execute(db);
    await stale(trader);
    expect(await failure(trader.changeLimits(lossOf('user', 50_000)))).toMatchObject(passwordNeeded);
  });
});

test('a limit that somebody lowers in the same moment is raised by nobody else without the password', async () => {
  const other = await server.signedIn('admin');
  await admin.changeLimits({ body: { level: 'server', changes: [amount(300)] } });
  await stale(other);
  let refused: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    await lockSetLimits(trx, { level: 'server' });
    await setLimit(trx, { level: 'server' }, { name: 'order-value', currency: 'USDT', value: '50', isCeiling: false }, admin.userId);
    refused = failure(other.changeLimits({ body: { level: 'server', changes: [amount(100)] } })); // less than what is set as yet
    await untilWaiting(db, 1);
  });
  expect(await refused).toMatchObject({ status: 403, detail: 'Enter your current password to continue.' });
  const { limits } = await admin.getLimits({ query: { level: 'server' } });
  expect(limits.find(({ name, currency }) => name === 'order-value' && currency === 'USDT')).toMatchObject({ value: 50 });
});

describe('alarms', () => {
  const raise = (kind: 'late-fill' | 'difference') =>
    raiseAlarm(db, { kind, target: { level: 'bot', id: botId }, facts: { order: 'fl-1', symbol: 'BTC/USDT' } });

  test('are shown to the owner and to admins, and acknowledged with a record', async () => {
    await raise('difference');
    const [alarm] = await trader.listAlarms({});
    expect(alarm).toMatchObject({
      kind: 'difference',
      title: 'The account differs from the trades',
      level: 'bot',
      target_id: botId,
      owner: null,
    });
    expect((await admin.listAlarms({}))[0]).toMatchObject({ id: alarm?.id, owner: trader.email });
    const other = await server.signedIn('trader');
    expect(await other.listAlarms({})).toEqual([]);
    const id = alarm?.id ?? '';
    expect(await failure(other.acknowledgeAlarm({ params: { id } }))).toMatchObject({ status: 404, detail: 'Alarm not found' });
    expect(await trader.acknowledgeAlarm({ params: { id } })).toEqual({ status: 'Alarm acknowledged' });
    expect((await trader.listAlarms({}))[0]?.acknowledged_at).not.toBeNull();
    const [record] = await db
      .selectFrom('auditLog')
      .select(['actorId', 'target', 'detail'])
      .where('action', '=', 'acknowledge-alarm')
      .execute();
    expect(record).toEqual({ actorId: trader.userId, target: `bot ${botId}`, detail: { kind: 'difference' } });
  });

  test('are acknowledged all at once: those that are shown and one’s own, with one record', async () => {
    await raise('late-fill');
    await raise('difference');
    const other = await server.signedIn('trader');
    const ids = (await trader.listAlarms({})).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(await trader.listAlarmItems({ params: { id: ids.find((each) => each !== ids[1]) ?? '' } })).toEqual(expect.any(Array));
    expect(await failure(other.listAlarmItems({ params: { id: ids[0] ?? '' } }))).toMatchObject({ status: 404 });
    expect(await other.acknowledgeAlarms({ body: { ids } })).toEqual({ acknowledged: 0, happened_since: [] });
    expect((await trader.listAlarms({})).map(({ acknowledged_at: at }) => at)).toContain(null);
    expect(await trader.acknowledgeAlarms({ body: { ids: [...ids, randomUUID()] } })).toEqual({ acknowledged: 2, happened_since: [] });
    expect((await trader.listAlarms({})).every(({ acknowledged_at: at }) => at !== null)).toBe(true);
    const records = await db.selectFrom('auditLog').select(['actorId', 'detail']).where('action', '=', 'acknowledge-alarms').execute();
    expect(records).toEqual([{ actorId: trader.userId, detail: { alarms: 2, kinds: { difference: 1, 'late-fill': 1 } } }]);
  });

  test('of what has happened are over with that', async () => {
    await raise('late-fill');
    const [alarm] = await trader.listAlarms({});
    await trader.acknowledgeAlarm({ params: { id: alarm?.id ?? '' } });
    expect(await trader.listAlarms({})).toEqual([]);
  });

  test('a kill switch that an administrator has pressed is one until it is re-armed, without a second mail', async () => {
    await admin.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } });
    expect(await trader.listAlarms({})).toMatchObject([{ kind: 'stopped-by-other', title: 'Trading was halted' }]);
    expect(await db.selectFrom('alarms').select('id').where('notedAt', 'is', null).execute()).toEqual([]);
    await admin.reArmTrading({ body: { level: 'bot', id: botId, state: 'active' } });
    expect(await trader.listAlarms({})).toEqual([]);
    await trader.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } });
    expect(await trader.listAlarms({})).toEqual([]);
  });
});
