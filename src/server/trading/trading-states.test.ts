import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { listAlarms, raiseAlarm } from '#storage/alarms/alarms.ts';
import { noteDifference } from '#storage/differences/differences.ts';
import { lockSwitch, setSwitch } from '#storage/trading/trading-states.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let trader: Person;
let botId = '';

const mailsTo = async (person: Person) =>
  (await db.selectFrom('mailOutbox').select('subject').where('recipient', '=', person.email).orderBy('createdAt').execute()).map(
    ({ subject }) => subject,
  );
const records = async () => {
  const { rows } = await sql<{ action: string; target: string; detail: { from: string; to: string } }>`
    select action, target, detail from audit_log where action in ('stop-trading', 're-arm-trading') order by id desc limit 2`.execute(db);
  return rows;
};

beforeEach(async () => {
  admin = await server.signedIn('admin');
  trader = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'mine', owner: trader.email });
});
afterEach(async () => void (await sql`delete from trading_states`.execute(db)));

test('a switch that a loss has set says so, and its owner re-arms it with the alarm', async () => {
  const target = { level: 'user', id: trader.userId } as const;
  await db.transaction().execute(async (trx) => {
    await lockSwitch(trx, target);
    await setSwitch(trx, target, { state: 'reducing', setBy: null, isImposed: false, reason: 'daily-loss' });
    await raiseAlarm(trx, {
      kind: 'limit-reached',
      target,
      facts: { limit: 'daily-loss', use: '10', value: '10', currency: 'USDT', mode: 'live' },
    });
  });
  expect((await trader.getTradingState({})).switches).toMatchObject([{ reason: 'daily-loss', set_by: null, may_re_arm: true }]);
  expect(await trader.listAlarms({})).toHaveLength(1);
  await trader.reArmTrading({ body: { level: 'user', state: 'active' } });
  expect((await trader.getTradingState({})).switches).toMatchObject([{ state: 'active', reason: 'person' }]);
  expect(await trader.listAlarms({})).toEqual([]);
});

describe('OP-27 the kill switch', () => {
  test('of an owner: own bots stop, with a record; nobody gets a mail', async () => {
    expect(await trader.getTradingState({})).toMatchObject({
      own: 'active',
      server: 'active',
      own_bots: 1,
      own_open_trades: 0,
      switches: [],
    });
    expect(await trader.stopTrading({ body: { level: 'user', state: 'reducing' } })).toEqual({
      state: 'reducing',
      bots: 1,
      open_trades: 0,
    });
    expect(await trader.getTradingState({})).toMatchObject({
      own: 'reducing',
      server: 'active',
      all_bots: null,
      switches: [{ level: 'user', id: trader.userId, state: 'reducing', set_by: trader.email, may_re_arm: true }],
    });
    expect((await admin.getTradingState({})).own).toBe('active');
    expect((await records())[0]).toMatchObject({
      action: 'stop-trading',
      target: `user ${trader.userId}`,
      detail: { from: 'active', to: 'reducing' },
    });
    expect(await mailsTo(trader)).toEqual([]);
  });

  test('of the server is for admins, and every owner gets a mail', async () => {
    expect(await failure(trader.stopTrading({ body: { level: 'server', state: 'halted' } }))).toMatchObject({ status: 403 });
    await admin.stopTrading({ body: { level: 'server', state: 'halted' } });
    expect(await mailsTo(trader)).toEqual(['Trading was halted']);
    const seen = await trader.getTradingState({});
    expect(seen).toMatchObject({ own: 'halted', server: 'halted' });
    expect(seen.switches).toMatchObject([{ level: 'server', set_by: null, may_re_arm: false }]);
    expect((await admin.getTradingState({})).switches).toMatchObject([{ level: 'server', set_by: admin.email, may_re_arm: true }]);
  });

  test('stops only more strictly, and what changes nothing leaves no record', async () => {
    await trader.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } });
    const before = await records();
    expect(await trader.stopTrading({ body: { level: 'bot', id: botId, state: 'reducing' } })).toMatchObject({ state: 'halted' });
    expect(await records()).toEqual(before);
  });

  test('is re-armed with the password; stopping needs none', async () => {
    await trader.stopTrading({ body: { level: 'user', state: 'halted' } });
    server.pass(11 * 60_000);
    expect(await failure(trader.reArmTrading({ body: { level: 'user', state: 'active' } }))).toMatchObject({
      status: 403,
      detail: 'Enter your current password to continue.',
    });
    await trader.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } });
    await trader.confirmPassword({ body: { password: password } });
    expect(await trader.reArmTrading({ body: { level: 'user', state: 'reducing' } })).toMatchObject({ state: 'reducing' });
    expect(await trader.reArmTrading({ body: { level: 'user', state: 'active' } })).toMatchObject({ state: 'active' });
    expect((await records())[0]).toMatchObject({ action: 're-arm-trading', detail: { from: 'reducing', to: 'active' } });
    expect((await trader.getTradingState({})).own).toBe('active');
  });

  test('of an owner is not imposed by an admin who re-arms it to what it is', async () => {
    await trader.stopTrading({ body: { level: 'bot', id: botId, state: 'reducing' } });
    await admin.reArmTrading({ body: { level: 'bot', id: botId, state: 'reducing' } });
    expect([await mailsTo(trader), (await trader.getTradingState({})).switches[0]?.may_re_arm]).toEqual([[], true]);
  });

  test.each([
    ['halted', 'halted'],
    ['halted', 'reducing'],
    ['reducing', 'reducing'],
  ] as const)('of an owner (%s) that an admin stops too (%s) is given up by an admin only', async (own, imposed) => {
    await trader.stopTrading({ body: { level: 'bot', id: botId, state: own } });
    expect(await admin.stopTrading({ body: { level: 'bot', id: botId, state: imposed } })).toMatchObject({ state: own });
    expect(await mailsTo(trader)).toHaveLength(1);
    expect((await records())[0]).toMatchObject({ action: 'stop-trading', target: `bot ${botId}`, detail: { from: own, to: own } });
    expect((await listAlarms(db, trader.userId)).map(({ kind }) => kind)).toEqual(['stopped-by-other']);
    expect(await failure(trader.reArmTrading({ body: { level: 'bot', id: botId, state: 'active' } }))).toMatchObject({ status: 403 });
    await admin.stopTrading({ body: { level: 'bot', id: botId, state: imposed } }); // asked twice is once
    expect(await mailsTo(trader)).toHaveLength(1);
    await admin.reArmTrading({ body: { level: 'bot', id: botId, state: 'active' } });
    await admin.reArmTrading({ body: { level: 'bot', id: botId, state: 'active' } });
    expect(await mailsTo(trader)).toHaveLength(2);
    expect((await trader.getTradingState({})).switches).toMatchObject([{ state: 'active' }]);
  });

  test('that an admin has set is given up by an admin only, also after the owner made it stricter', async () => {
    await admin.stopTrading({ body: { level: 'user', id: trader.userId, state: 'reducing' } });
    expect(await mailsTo(trader)).toEqual(['Entries were stopped']);
    await trader.stopTrading({ body: { level: 'user', state: 'halted' } });
    expect((await trader.getTradingState({})).switches).toMatchObject([{ state: 'halted', may_re_arm: false }]);
    expect(await failure(trader.reArmTrading({ body: { level: 'user', state: 'active' } }))).toMatchObject({
      status: 403,
      detail: 'An administrator has stopped this. Only an administrator can re-arm it.',
    });
    await admin.reArmTrading({ body: { level: 'user', id: trader.userId, state: 'active' } });
    expect(await mailsTo(trader)).toEqual(['Entries were stopped', 'Trading was re-armed']);
    await trader.stopTrading({ body: { level: 'user', state: 'halted' } });
    expect(await trader.reArmTrading({ body: { level: 'user', state: 'active' } })).toMatchObject({ state: 'active' });
  });

  test('of others is for admins, and what does not exist cannot be stopped', async () => {
    const other = await server.signedIn('operator');
    expect(await failure(other.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } }))).toMatchObject({ status: 403 });
    expect(await failure(other.stopTrading({ body: { level: 'user', id: trader.userId, state: 'halted' } }))).toMatchObject({
      status: 403,
    });
    const missing = '00000000-0000-4000-8000-000000000000';
    expect(await failure(admin.stopTrading({ body: { level: 'user', id: missing, state: 'halted' } }))).toMatchObject({ status: 404 });
    expect(await failure(admin.stopTrading({ body: { level: 'bot', id: missing, state: 'halted' } }))).toMatchObject({ status: 404 });
  });
});

describe('ADD-re-arm-trading lifts what was seen', () => {
  const setAgain = { status: 409, detail: 'The switch was set again meanwhile. Look at what it says now.' };
  const confirm = 'CLOSE ALL' as const;
  const standing = async () => {
    const [found] = (await admin.getTradingState({})).switches;
    if (found === undefined) throw new Error('no switch was set');
    return found;
  };
  const asked = () => ({ level: 'bot', id: botId }) as const;
  const reArmed = async () => (await db.selectFrom('auditLog').select('id').where('action', '=', 're-arm-trading').execute()).length;

  test.each<[string, () => Promise<unknown>]>([
    ['a halt', () => trader.stopTrading({ body: { ...asked(), state: 'halted' } })],
    ['a halt of an admin', () => admin.stopTrading({ body: { ...asked(), state: 'halted' } })],
    ['CLOSE ALL', () => trader.closeAll({ body: { ...asked(), confirm } })],
    ['CLOSE ALL of an admin', () => admin.closeAll({ body: { ...asked(), confirm } })],
  ])('not what was set meanwhile: %s', async (_, press) => {
    await trader.stopTrading({ body: { ...asked(), state: 'reducing' } });
    const seen = await standing();
    const reArmedBefore = await reArmed();
    await press();
    const since = await standing();
    for (const state of ['active', 'reducing'] as const)
      expect(await failure(admin.reArmTrading({ body: { ...asked(), state, set_at: seen.set_at } })), state).toMatchObject(setAgain);
    expect(await standing()).toEqual(since);
    expect(await reArmed()).toBe(reArmedBefore);
    await admin.reArmTrading({ body: { ...asked(), state: 'active', set_at: since.set_at } });
    expect(await standing()).toMatchObject({ state: 'active', closing_all: null });
  });

  const differs = (symbol: string) => noteDifference(db, { botId, symbol, expected: 1, actual: 0.5 });

  test.each<[string, () => Promise<unknown>, object]>([
    ['a person', () => trader.stopTrading({ body: { ...asked(), state: 'reducing' } }), { reason: 'person', behind: [] }],
    ['another difference', () => differs('BTC/USDT'), { reason: 'difference', set_by: null }],
  ])('not a reason that has come since behind the switch of %s', async (_, stop, by) => {
    await stop();
    const seen = await standing();
    expect(seen).toMatchObject(by);
    await differs('ETH/USDT');
    const now = await standing();
    expect(now).toMatchObject({ ...by, since: seen.since, state: 'reducing', behind: expect.any(Array) as string[] });
    expect(now.behind).toEqual([...seen.behind, 'Bot mine: the account holds 0.5 of ETH/USDT, the trades say 1.']);
    expect(now.set_at).not.toBe(seen.set_at);
    expect(await failure(trader.reArmTrading({ body: { ...asked(), state: 'active', set_at: seen.set_at } }))).toMatchObject(setAgain);
    await differs('ETH/USDT'); // the same again, as with each look
    expect(await standing()).toEqual(now);
    await trader.reArmTrading({ body: { ...asked(), state: 'active', set_at: now.set_at } });
    expect(await standing()).toMatchObject({ state: 'active', behind: [] });
  });

  test('a press makes what it sets the newest; who may not lift it does not read what is behind it', async () => {
    await differs('BTC/USDT');
    await differs('ETH/USDT');
    await admin.stopTrading({ body: { ...asked(), state: 'halted' } });
    const now = await standing();
    expect([now.since, now.behind.length]).toEqual([now.set_at, 2]);
    const [own] = (await trader.getTradingState({})).switches;
    expect(own).toMatchObject({ may_re_arm: false, behind: [] });
    await admin.reArmTrading({ body: { ...asked(), state: 'active', set_at: now.set_at } });
  });

  test('every limit that was reached is shown, and its alarm ends with the re-arm; that of a bot which is paused stays', async () => {
    const user = { level: 'user', id: trader.userId } as const;
    const facts = { limit: 'daily-loss', use: '10', value: '10', currency: 'USDT', mode: 'live' };
    await raiseAlarm(db, { kind: 'limit-reached', target: { level: 'bot', id: botId }, facts });
    await trader.stopTrading({ body: { level: 'user', state: 'reducing' } });
    for (const currency of ['USDT', 'EUR'])
      await raiseAlarm(db, { kind: 'limit-reached', target: user, detail: currency, facts: { ...facts, currency } });
    const what = (currency: string) => `All bots of ${trader.email}: the daily loss has reached its limit (10 of 10 ${currency}; live).`;
    expect((await trader.getTradingState({})).switches).toMatchObject([{ behind: [what('USDT'), what('EUR')] }]);
    await trader.reArmTrading({ body: { level: 'user', state: 'active' } });
    expect(await trader.listAlarms({})).toMatchObject([{ level: 'bot' }]);
    await trader.stopTrading({ body: { ...asked(), state: 'reducing' } });
    const ofBot = (await trader.getTradingState({})).switches.filter(({ level }) => level === 'bot');
    expect(ofBot).toMatchObject([{ may_re_arm: true, behind: [] }]);
    await trader.reArmTrading({ body: { ...asked(), state: 'active' } });
    expect(await trader.listAlarms({})).toMatchObject([{ kind: 'limit-reached', level: 'bot' }]);
  });

  test('whoever may not lift it any more is shown that, not asked to look again', async () => {
    await trader.stopTrading({ body: { ...asked(), state: 'halted' } });
    const { set_at } = await standing();
    await admin.stopTrading({ body: { ...asked(), state: 'halted' } });
    expect(await failure(trader.reArmTrading({ body: { ...asked(), state: 'active', set_at } }))).toMatchObject({ status: 403 });
  });

  test('at any fraction of a second at which it was set', async () => {
    await trader.stopTrading({ body: { ...asked(), state: 'halted' } });
    for (const fraction of ['.000000', '.000999', '.123456', '.999999']) {
      await sql`update trading_states set state = 'halted', set_at = ${`2026-11-22T09:30:00${fraction}Z`}::timestamptz`.execute(db);
      const { set_at } = await standing();
      expect(await trader.reArmTrading({ body: { ...asked(), state: 'active', set_at } }), fraction).toMatchObject({ state: 'active' });
    }
  });

  test('not a reason that has come since a clock was set back', async () => {
    await differs('BTC/USDT');
    await sql`update trading_states set set_at = set_at + interval '1 hour'`.execute(db);
    const seen = await standing();
    await differs('ETH/USDT');
    expect(await failure(trader.reArmTrading({ body: { ...asked(), state: 'active', set_at: seen.set_at } }))).toMatchObject(setAgain);
    const second = await standing();
    await differs('SOL/USDT');
    expect(await failure(trader.reArmTrading({ body: { ...asked(), state: 'active', set_at: second.set_at } }))).toMatchObject(setAgain);
    await trader.reArmTrading({ body: { ...asked(), state: 'active', set_at: (await standing()).set_at } });
  });

  test('not what was set by a clock that was set back', async () => {
    await trader.stopTrading({ body: { ...asked(), state: 'reducing' } });
    const { set_at } = await standing();
    await sql`update trading_states set state = 'halted', set_at = set_at - interval '1 hour'`.execute(db);
    expect(await failure(trader.reArmTrading({ body: { ...asked(), state: 'active', set_at } }))).toMatchObject(setAgain);
  });

  test('not what was pressed after a further reason by a clock that was set back', async () => {
    await differs('BTC/USDT');
    await differs('ETH/USDT');
    await sql`update trading_states set reason_at = reason_at + interval '1 hour'`.execute(db);
    const { set_at } = await standing();
    await trader.stopTrading({ body: { ...asked(), state: 'halted' } });
    expect(await failure(trader.reArmTrading({ body: { ...asked(), state: 'active', set_at } }))).toMatchObject(setAgain);
    expect(await standing()).toMatchObject({ state: 'halted' });
  });

  test('what another has re-armed meanwhile is active, and asking again changes nothing', async () => {
    await trader.stopTrading({ body: { ...asked(), state: 'halted' } });
    const { set_at } = await standing();
    await admin.reArmTrading({ body: { ...asked(), state: 'active' } });
    const before = await standing();
    expect(await trader.reArmTrading({ body: { ...asked(), state: 'active', set_at } })).toMatchObject({ state: 'active' });
    expect(await standing()).toEqual(before);
  });

  test('also a press that is stored while the one who re-arms waits for the switch', async () => {
    await trader.stopTrading({ body: { ...asked(), state: 'reducing' } });
    const { set_at } = await standing();
    const second = await twoConnections(db).meets(
      async (trx) => {
        await lockSwitch(trx, asked());
        await setSwitch(trx, asked(), { state: 'halted', setBy: null, isImposed: false, closeAllAt: new Date() });
      },
      () => failure(trader.reArmTrading({ body: { ...asked(), state: 'active', set_at } })),
    );
    expect(second).toMatchObject({ hasWaited: true, value: setAgain });
    expect(await standing()).toMatchObject({ state: 'halted', closing_all: { open: 0 } });
  });
});
