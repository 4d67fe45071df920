import { ceilingsInCurrency, keepsCurrency, limitsInCurrency } from '#contract/bots.ts';
import { lockBot } from '#storage/bots/bots.ts';
import { setLimit } from '#storage/limits/set-limits.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { connectMarkets } from '../../../test/support/connect-markets.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';

// What a bot has lost and what limits it are amounts in its stake currency: neither may end because the currency changes.
const sandbox = await startSandbox();
afterAll(() => sandbox.close());
const server = await startTestServer({ markets: connectMarkets(sandbox.url, Date.now) });
const { db } = server.dependencies;
const { meets } = twoConnections(db);
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let admin: Person;
let bot = '';

beforeEach(async () => {
  owner = await server.signedIn('trader');
  admin = await server.signedIn('admin');
  bot = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, status: 'paused' });
});

const inUsdc = { stake_currency: 'USDC', trading_pairs: ['BTC/USDC'] };
const change = (body: object = inUsdc, person = owner) => person.updateBot({ params: { id: bot }, body });
const refusal = async (call: Promise<unknown>) => (await failure(call)).message;
const setLimits = (person: Person, ...changes: Parameters<Person['changeLimits']>[0]['body']['changes']) =>
  person.changeLimits({ body: { level: 'bot', id: bot, changes } });
const orderValue = (value: number | null) => ({ name: 'order-value', currency: 'USDT', value }) as const;
const trades = (mode: TradeMode, given: object = {}) =>
  writeTrades(db, [
    {
      trade: aTradeRow(bot, { symbol: 'BTC/USDT', mode, status: 'closed', closedAt: new Date(), profit: '-100', ...given }),
      orders: [],
      fills: [],
    },
  ]);
const currency = async () => (await db.selectFrom('bots').select('stakeCurrency').where('id', '=', bot).executeTakeFirst())?.stakeCurrency;

describe('a bot that has traded at an exchange keeps its stake currency', () => {
  test.each(['live', 'testnet'] as const)('OP-36 in mode %s, on paper again too; whoever asks, and however', async (mode) => {
    await change({ nickname: 'Other' });
    await sql`update bot_versions set settings = settings || '{"stakeCurrency":"USDC","symbols":["BTC/USDC"]}' where bot_id = ${bot} and version = 1`.execute(
      db,
    );
    await trades(mode);
    await sql`insert into bot_figures (bot_id, mode, trades, losses, realized_pnl, day, day_profit, peak_balance)
      values (${bot}, ${mode}, 1, 1, -100, (now() at time zone 'UTC')::date, -100, 300) on conflict (bot_id, mode) do nothing`.execute(db);
    const figures = () => db.selectFrom('botFigures').selectAll().where('botId', '=', bot).execute();
    const before = await figures();
    expect(before).toHaveLength(1);
    for (const person of [owner, admin]) expect(await refusal(change(inUsdc, person))).toBe(`409 ${keepsCurrency}`);
    expect(await refusal(owner.restoreBotVersion({ params: { id: bot, version: 1 } }))).toBe(`409 ${keepsCurrency}`);
    expect([await currency(), await figures()]).toEqual(['USDT', before]);
    expect(await change({ trading_pairs: ['ETH/USDT'], stake_amount: 50 })).toMatchObject({ stake_amount: 50 });
  });

  test('one that has only traded on paper, or whose trades were imported, does not', async () => {
    await trades('paper');
    await trades('paper', { importedFrom: 'freqtrade', symbol: 'ETH/USDT' });
    expect(await change()).toMatchObject({ ...inUsdc, total_pnl: 0, total_trades: 0 });
  });
});

describe('a bot with limits that are amounts keeps its stake currency', () => {
  test.each(['order-value', 'position-value', 'daily-loss'] as const)('OP-36 %s, until it is removed', async (name) => {
    const limit = { name, currency: 'USDT', value: 50 };
    await setLimits(owner, limit);
    for (const person of [owner, admin]) expect(await refusal(change(inUsdc, person))).toBe(`409 ${limitsInCurrency('USDT')}`);
    await setLimits(owner, { ...limit, value: null });
    expect(await change()).toMatchObject(inUsdc);
  });

  test('of an administrator, until an administrator removes it', async () => {
    await setLimits(admin, orderValue(50));
    await setLimits(owner, orderValue(20));
    expect(await refusal(change())).toBe(`409 ${ceilingsInCurrency('USDT')}`);
    await setLimits(owner, orderValue(null));
    expect(await refusal(change())).toBe(`409 ${ceilingsInCurrency('USDT')}`);
    await setLimits(admin, orderValue(null));
    expect(await change()).toMatchObject(inUsdc);
  });

  test('limits that count no money, and those of others, are none of these', async () => {
    await setLimits(owner, { name: 'drawdown', currency: null, value: 0.2 }, { name: 'open-orders', currency: null, value: 3 });
    const another = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname: 'another' });
    await owner.changeLimits({ body: { level: 'bot', id: another, changes: [orderValue(50)] } });
    await owner.changeLimits({ body: { level: 'user', changes: [orderValue(50)] } });
    expect(await change()).toMatchObject(inUsdc);
  });

  test('also when the limit is set in the same moment', async () => {
    const setting = async (trx: typeof db) => {
      await lockBot(trx, bot);
      await setLimit(trx, { level: 'bot', id: bot }, { name: 'order-value', currency: '', value: '50', isCeiling: true }, admin.userId);
    };
    const { hasWaited, value } = await meets(setting, () => refusal(change()));
    expect({ hasWaited, value }).toEqual({ hasWaited: true, value: `409 ${ceilingsInCurrency('USDT')}` });
    expect(await currency()).toBe('USDT');
  });

  test('and a limit in the currency of before is refused when that changes in the same moment', async () => {
    const changing = async (trx: typeof db) => {
      await lockBot(trx, bot);
      await sql`update bots set stake_currency = 'USDC', symbols = '{BTC/USDC}' where id = ${bot}`.execute(trx);
    };
    const { hasWaited, value } = await meets(changing, () => refusal(setLimits(owner, orderValue(50))));
    expect({ hasWaited, value }).toEqual({ hasWaited: true, value: '400 Invalid request' });
    expect(await db.selectFrom('limits').selectAll().where('botId', '=', bot).execute()).toEqual([]);
  });
});
