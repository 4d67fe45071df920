import { secondMs } from '#engine/market/durations.ts';
import { readAccounts } from '#runner/orders/open-accounts.ts';
import { startBalanceReadings } from '#runner/balance-readings.ts';
import { accountOfKey } from '#sandbox/testing/raw-account.ts';
import { giveKey } from '#storage/bots/bots.ts';
import { renewLease } from '#storage/bots/runners.ts';
import { askBalance, findBalance, noteBalance, takeBalanceToRead } from '#storage/exchange-accounts/account-balances.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { openingKey } from '#vault/opening.ts';
import { sealingKey } from '#vault/sealing.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const server = await startTestServer({ liveTrading: 'sandbox' });
const { db } = server.dependencies;
const owner = await server.signedIn('trader');
const [sealing, opening] = await Promise.all([sealingKey(Buffer.alloc(32, 9)), openingKey(Buffer.alloc(32, 9))]);
const balancesOf = (sandboxUrl: string) => readAccounts(db, opening, { sandboxUrl, now: market.now });

/** A bot with a key of an account of its own. */
async function addBot(given: { marketType?: 'futures'; secret?: string; sealed?: 'elsewhere' } = {}) {
  const id = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, ...(given.marketType ? { marketType: 'futures' } : {}) });
  const made = await fetch(`${market.sandbox.url}/sandbox/v1/keys`, { method: 'POST' });
  const { apiKey, secretKey } = (await made.json()) as { apiKey: string; secretKey: string };
  const keyId = randomUUID();
  const place = { id: given.sealed === 'elsewhere' ? randomUUID() : keyId, userId: owner.userId };
  const sealed = await sealCredentials(sealing, place, { key: apiKey, secret: given.secret ?? secretKey, passphrase: null });
  const row = { id: keyId, userId: owner.userId, exchangeId: 'sandbox', label: 'main', keyHint: apiKey.slice(-4) };
  await db
    .insertInto('apiKeys')
    .values({ ...row, sealed: JSON.stringify(sealed) })
    .execute();
  await giveKey(db, id, keyId);
  return { id, keyId, account: accountOfKey(market.sandbox, { apiKey, secret: secretKey }) };
}

/** What a runner does for as long as the test lasts. */
function startReading(readBalances = balancesOf(market.sandbox.url)): string[] {
  const lines: string[] = [];
  const log = (message: string, details: object) => void lines.push(`${message} ${JSON.stringify(details)}`);
  const readings = startBalanceReadings({ db, readBalances, exchanges: ['sandbox'], log }, 20);
  onTestFinished(() => readings.stop());
  return lines;
}

const ask = (id: string) => owner.freeBalance({ params: { id } });
const runner = { id: randomUUID(), host: 'test', exchanges: ['sandbox'] };
beforeEach(() => renewLease(db, { ...runner, takesLive: 'sandbox' }, 600 * secondMs, true));
afterEach(async () => {
  await db.deleteFrom('runners').execute();
  await db.deleteFrom('accountBalances').execute();
  await db.deleteFrom('limitCounters').execute();
});

describe('ADD-free-balance what the account of a bot has free', () => {
  test('on spot without what lies in orders, asked each time, with the time', async () => {
    const { id, keyId, account } = await addBot();
    startReading();
    const before = Date.now();
    const first = await ask(id);
    expect(first).toMatchObject({ currency: 'USDT', free: 10_000, why: null });
    expect(Date.parse(first.read_at ?? '')).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(first.read_at ?? '')).toBeLessThanOrEqual(Date.now());
    const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: 0.01, price: 20_000 };
    expect((await account.send('POST', '/api/v3/order', order)).body.status).toBe('NEW');
    expect((await ask(id)).free).toBe(9_800);
    const { body } = await account.send('GET', '/api/v3/account');
    expect(body.balances.find(({ asset }: { asset: string }) => asset === 'USDT')).toMatchObject({ free: '9800.00000000' });
    const used = await db.selectFrom('apiKeys').select('lastUsedAt').where('id', '=', keyId).executeTakeFirstOrThrow();
    expect(used.lastUsedAt).not.toBeNull();
  });

  test('on perpetuals what is available for new positions', async () => {
    const { id, account } = await addBot({ marketType: 'futures' });
    startReading();
    expect(await ask(id)).toMatchObject({ currency: 'USDT', free: 10_000, why: null });
    await account.send('POST', '/fapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: 0.1 });
    const { free } = await ask(id);
    const { body } = await account.send('GET', '/fapi/v3/account');
    const listed = body.assets.find(({ asset }: { asset: string }) => asset === 'USDT');
    expect(free).toBeLessThan(9_900);
    expect(Math.abs((free ?? 0) - Number(listed.availableBalance))).toBeLessThan(50); // the price moves between the two
  });

  test('a currency of which it has nothing is zero', async () => {
    const { id } = await addBot();
    await sql`update bots set stake_currency = 'BTC' where id = ${id}`.execute(db);
    startReading();
    expect(await ask(id)).toMatchObject({ currency: 'BTC', free: 0, why: null });
  });

  test.each([
    ['The exchange refuses the API key.', { secret: 'wrong' }],
    ['The stored API key cannot be opened.', { sealed: 'elsewhere' }],
  ] as const)('is not known, with the time it was tried: %s', async (why, given) => {
    const { id } = await addBot(given);
    const lines = startReading();
    const answer = await ask(id);
    expect(answer).toMatchObject({ free: null, why });
    expect(answer.read_at).not.toBeNull();
    expect(lines).toHaveLength(1);
  });

  test('is not known while the exchange does not answer; who asks about another account does not wait for it', async () => {
    const [silent, other] = [await addBot(), await addBot()];
    const read = balancesOf(market.sandbox.url);
    const { promise, resolve } = Promise.withResolvers<void>();
    startReading(async (account) => {
      if (account.apiKeyId !== silent.keyId) return read(account);
      await promise;
      return balancesOf('http://127.0.0.1:9')(account);
    });
    const waiting = ask(silent.id);
    expect(await ask(other.id)).toMatchObject({ free: 10_000 });
    resolve();
    expect(await waiting).toMatchObject({ free: null, why: 'The exchange did not answer.' });
    // The newest answer counts, not the last good one.
    expect(await ask(other.id)).toMatchObject({ free: 10_000 });
  });

  test('is not asked for without a key, without a runner that may trade there, and where live trading is disabled', async () => {
    const { id } = await addBot();
    startReading();
    const keyless = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email });
    expect(await ask(keyless)).toEqual({ currency: 'USDT', free: null, read_at: null, why: 'The bot has no API key yet.' });
    const noRunner = 'No runner that could ask the exchange is running.';
    for (const change of [
      sql`update runners set takes_live = 'off'`,
      sql`update runners set takes_live = 'on', exchanges = '{binance}'`,
      sql`update runners set exchanges = '{sandbox}', expires_at = now()`,
    ]) {
      await change.execute(db);
      expect((await ask(id)).why).toBe(noRunner);
    }
    await sql`update bots set exchange_id = 'binance' where id = ${id}`.execute(db);
    expect((await ask(id)).why).toBe('Live trading is disabled on this server.');
    expect(await db.selectFrom('accountBalances').selectAll().execute()).toEqual([]);
  });

  test('is for the owner and admins, 60 times an hour', async () => {
    const { id } = await addBot();
    startReading();
    for (const role of ['trader', 'operator', 'investor'] as const)
      expect((await failure((await server.signedIn(role)).freeBalance({ params: { id } }))).message).toBe(
        '403 You do not have access to this bot',
      );
    expect((await (await server.signedIn('admin')).freeBalance({ params: { id } })).free).toBe(10_000);
    await ask(id);
    await sql`update limit_counters set count = 60 where key = ${`balance-reading:${owner.userId}`}`.execute(db);
    expect((await failure(ask(id))).message).toBe('429 Too many requests. Please try again later.');
  });
});

describe('who reads a balance', () => {
  const name = async () => {
    const { keyId } = await addBot();
    const insert = (askedAgoS: number, takenAgoS: number | null) =>
      sql`
      insert into account_balances (api_key_id, market_type, currency, asked_at, taken_at)
      values (${keyId}, 'spot', 'USDT', now() - ${askedAgoS} * interval '1 s', now() - ${takenAgoS}::float8 * interval '1 s')
      on conflict (api_key_id, market_type, currency) do update set asked_at = excluded.asked_at, taken_at = excluded.taken_at`.execute(db);
    return { keyId, insert };
  };

  test('one runner alone, another when that has not come back, and nobody when nobody waits any more', async () => {
    const { keyId, insert } = await name();
    await insert(1, null);
    expect(await takeBalanceToRead(db, ['binance'])).toBeNull();
    expect(await takeBalanceToRead(db, ['sandbox'])).toEqual({
      apiKeyId: keyId,
      marketType: 'spot',
      currency: 'USDT',
      exchangeId: 'sandbox',
    });
    expect(await takeBalanceToRead(db, ['sandbox'])).toBeNull();
    await insert(20, 16);
    expect(await takeBalanceToRead(db, ['sandbox'])).not.toBeNull();
    await insert(61, null);
    expect(await takeBalanceToRead(db, ['sandbox'])).toBeNull();
  });

  test('what is read is that of one currency in one market of the account: of the others nothing is known by it', async () => {
    const { keyId: apiKeyId } = await addBot();
    const read = { apiKeyId, marketType: 'spot', currency: 'USDT' } as const;
    const others = [
      { ...read, currency: 'BTC' },
      { ...read, marketType: 'futures' },
    ] as const;
    const since = await askBalance(db, read);
    for (const other of others) await askBalance(db, other);
    await noteBalance(db, read, { free: 7, failure: null });
    expect(await findBalance(db, read, since)).toMatchObject({ free: 7 });
    for (const other of others) expect(await findBalance(db, other, since)).toBeNull();
  });

  test('what was asked for while it was being read is read again', async () => {
    const { id } = await addBot();
    let free = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    startReading(async () => {
      free += 1;
      const found = free;
      if (found === 1) await promise;
      return [{ currency: 'USDT', free: found, locked: 0 }];
    });
    const first = ask(id);
    await expect.poll(() => free).toBe(1);
    const asked = async () => (await db.selectFrom('accountBalances').select('askedAt').executeTakeFirstOrThrow()).askedAt?.getTime() ?? 0;
    const before = await asked();
    const second = ask(id);
    await expect.poll(asked).toBeGreaterThan(before);
    resolve();
    await Promise.all([first, second]);
    await expect.poll(() => free).toBe(2);
    await expect
      .poll(async () => (await db.selectFrom('accountBalances').select(['free', 'askedAt']).executeTakeFirst())?.askedAt)
      .toBeNull();
  });
});
