import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { readConfig } from '#processes/config.ts';
import { endDifference, noteDifference } from '#storage/differences/differences.ts';
import { noteAccountCheck } from '#storage/exchange-accounts/account-checks.ts';
import { noteOrderSearch } from '#storage/differences/unrecorded-orders.ts';
import { writeFact } from '#storage/installation/facts.ts';
import { readServerStart } from '#storage/server-start.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { goLive } from '../../test/support/go-live.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { accountsCommand } from './accounts-command.ts';

const { db, url } = await freshDatabase();
const begunAt = await readServerStart(db);

async function run(): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await accountsCommand(readConfig({ DATABASE_URL: url }, '/'), (line) => void lines.push(line));
  return { code, lines };
}

test('trades stand beside what the account holds; what differs or was not compared is said, and is the exit code', async () => {
  expect(await run()).toEqual({ code: 0, lines: ['No bot is live.'] });
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'Night', owner: 'mira@example.com', status: 'paused' });
  const apiKeyId = await goLive(db, id);
  await sql`update api_keys set key_hint = 'a1b2'`.execute(db);
  const trade = (symbol: string, amount: number) => aTradeRow(id, { symbol, amount, mode: 'testnet', direction: 'long' });
  await writeTrades(db, [
    { trade: trade('BTC/USDT', 0.5), orders: [], fills: [] },
    { trade: trade('SOL/USDT', 0.167), orders: [], fills: [] },
  ]);
  const name = 'sandbox spot, key ...a1b2 of mira@example.com (Night): ';
  const late = '1 of 1 accounts were not compared in the last five minutes: see that a runner runs, and that its key is taken.';
  const btc = '  BTC/USDT         trades 0.5            account 0.5';
  expect(await run()).toEqual({
    code: 1,
    lines: [`${name}not compared yet`, btc, '  SOL/USDT         trades 0.167          account 0.167', late],
  });
  await noteAccountCheck(db, apiKeyId, 'spot');
  await noteDifference(db, { botId: id, symbol: 'SOL/USDT', expected: 0.167, actual: 0 });
  await noteDifference(db, { botId: id, symbol: 'XRP/USDT', expected: 0, actual: 12 });
  const { code, lines } = await run();
  expect(code).toBe(1);
  expect(lines[0]).toMatch(/\(Night\): compared \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/u);
  expect(lines.slice(1)).toEqual([
    btc,
    '  SOL/USDT         trades 0.167          account 0              differs: decide on the page of Night',
    '  XRP/USDT         trades 0              account 12             differs: decide on the page of Night',
    '2 symbols differ: decide on the pages of the bots.',
  ]);
  for (const symbol of ['SOL/USDT', 'XRP/USDT']) await endDifference(db, id, symbol);
  expect(await run()).toMatchObject({
    code: 0,
    lines: [expect.any(String), btc, expect.any(String), 'All accounts hold what the trades say.'],
  });
  await sql`update account_checks set checked_at = now() - interval '6 minutes'`.execute(db);
  expect(await run()).toMatchObject({ code: 1, lines: expect.arrayContaining([late]) });
  await sql`update bots set status = 'stopped'`.execute(db);
  const unwatched = '1 of 1 accounts have open trades and are not compared, because all their bots are stopped: start one of them.';
  const stopped = [`${name}not compared, because its bots are stopped`, btc, expect.any(String), unwatched];
  expect(await run()).toEqual({ code: 1, lines: stopped });
  await sql`update trades set status = 'closed', closed_at = opened_at`.execute(db);
  expect(await run()).toEqual({ code: 0, lines: [stopped[0], 'No account is compared, because all live bots are stopped.'] });
});

test('after a restore the keys are named that no live bot trades with, until one does and its account was searched', async () => {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'Day', owner: 'noor@example.com', status: 'paused' });
  const apiKeyId = await goLive(db, id);
  await sql`update api_keys set key_hint = 'b2c3', created_at = now() - interval '1 day' where id = ${apiKeyId}`.execute(db);
  await sql`update bots set mode = 'paper' where id = ${id}`.execute(db);
  const named = async () => (await run()).lines.filter((line) => line.includes('b2c3'));
  expect(await named()).toEqual([]);
  const restored = (ago: number) => writeFact(db, 'restored_at', new Date(Date.now() - ago).toISOString());
  await restored(2 * 86_400_000);
  expect(await named()).toEqual([]); // added since
  await restored(3_600_000);
  expect(await named()).toEqual([
    expect.stringMatching(/^Not compared: sandbox, key \.\.\.b2c3 of noor@example\.com\. No bot is live with it/u),
  ]);
  await noteOrderSearch(db, { apiKeyId, marketType: 'spot' }, { time: Date.now() - 7_200_000, begunAt });
  expect(await named()).toHaveLength(1);
  await noteOrderSearch(db, { apiKeyId, marketType: 'spot' }, { time: Date.now(), begunAt });
  expect(await named()).toEqual([]);
  await restored(0);
  await sql`update bots set mode = 'live', status = 'stopped', archived_at = now() where id = ${id}`.execute(db);
  expect(await named()).toHaveLength(1);
  await sql`update bots set archived_at = null where id = ${id}`.execute(db);
  expect((await named()).every((line) => line.includes('(Day)'))).toBe(true);
});

test('of two accounts that both differ in a symbol it is said of each', async () => {
  const names = ['Tide', 'Ebb'];
  for (const [i, nickname] of names.entries()) {
    const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname, owner: `${nickname}@example.com`, status: 'paused' });
    await noteAccountCheck(db, await goLive(db, id), 'spot');
    await noteDifference(db, { botId: id, symbol: 'BTC/USDT', expected: 0, actual: 3 + i });
  }
  const { code, lines } = await run();
  expect(code).toBe(1);
  for (const [i, nickname] of names.entries()) {
    const at = lines.findIndex((line) => line.includes(`(${nickname})`));
    expect(lines[at + 1]).toBe(
      `  BTC/USDT         trades 0              account ${3 + i}              differs: decide on the page of ${nickname}`,
    );
  }
  expect(lines).toContain('2 symbols differ: decide on the pages of the bots.');
});

test('an account of two bots of which one is stopped is to be compared, and late where it was not', async () => {
  const add = (nickname: string, status: 'active' | 'stopped') =>
    addTestBot(db, { strategy: 'BuyAndHold', nickname, owner: 'pair@example.com', status });
  const [running, stopped] = [await add('Reef', 'active'), await add('Wreck', 'stopped')];
  const apiKeyId = await goLive(db, running);
  await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${stopped}`.execute(db);
  const { code, lines } = await run();
  expect(code).toBe(1);
  expect(lines.filter((line) => line.includes('(Reef, Wreck)'))).toEqual([expect.stringMatching(/: not compared yet$/u)]);
  expect(lines).toContainEqual(expect.stringMatching(/^1 of \d accounts were not compared in the last five minutes/u));
  await sql`update bots set status = 'stopped' where id = ${running}`.execute(db);
  expect((await run()).lines).toContainEqual(expect.stringMatching(/\(Reef, Wreck\): not compared, because its bots are stopped$/u));
});

test('what one bot of an account has bought and another has sold are two to decide; accounts of stopped bots are not among those that agree', async () => {
  await sql`delete from differences`.execute(db);
  await sql`update bots set status = 'stopped'`.execute(db);
  const add = (nickname: string) => addTestBot(db, { strategy: 'BuyAndHold', nickname, owner: 'two@example.com', status: 'paused' });
  const [bought, sold] = [await add('Buyer'), await add('Seller')];
  const apiKeyId = await goLive(db, bought);
  await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${sold}`.execute(db);
  await noteAccountCheck(db, apiKeyId, 'spot');
  expect(await run()).toMatchObject({
    code: 0,
    lines: expect.arrayContaining(['All accounts that are compared hold what the trades say.']),
  });
  await noteDifference(db, { botId: bought, symbol: 'ADA/USDT', expected: 0, actual: 5 });
  await noteDifference(db, { botId: sold, symbol: 'ADA/USDT', expected: 0, actual: -3 });
  const { code, lines } = await run();
  expect(code).toBe(1);
  const rows = lines.filter((line) => line.startsWith('  ADA/USDT         trades 0 '));
  expect(rows.map((row) => row.split('differs: decide on the page of ')[1]).toSorted()).toEqual(['Buyer', 'Seller']);
  expect(lines).toContain('1 symbol differs: decide on the pages of the bots.');
});
