import { googleSpreadsheets } from '#outbound/google/spreadsheets.ts';
import { sheetSender } from '#processes/message-senders.ts';
import { sendDueMessages } from '#processes/send-trade-messages.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { addBotMessages } from '#storage/trades/trade-messages.ts';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { aSheetId, openGoogle } from '../../../test/support/google.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const otherSheet = `other-${aSheetId}`;
const google = await openGoogle([aSheetId, otherSheet]);
let shift = 0;
const clock = (): Date => new Date(Date.now() + shift);
const sheets = googleSpreadsheets(google.account, clock, google.reach);
const server = await startTestServer({ sheets });
const { db, strategySecrets } = server.dependencies;
const now = (): Date => server.dependencies.now();
const pass = (ms: number): void => {
  server.pass(ms);
  shift += ms;
};
/** Whose a row is depends on the time since it was taken; what was left before is due. */
const holdFromNow = (): void => {
  onTestFinished(server.hold());
  pass(1);
};
await enterBuiltInStrategies(db);
let admin = await server.signedIn('admin');
const bots = { written: await addTestBot(db, { strategy: 'RsiReversal' }), other: await addTestBot(db, { strategy: 'MacdTrend' }) };
const strategyOf = async (botId: string) =>
  (await db.selectFrom('bots').select('strategyId').where('id', '=', botId).executeTakeFirstOrThrow()).strategyId;
const ids = { written: await strategyOf(bots.written), other: await strategyOf(bots.other) };
const setKey = (id: string, key: string) => admin.updateStrategy({ params: { id }, body: { encrypted_sheets_key: key } });
const shown = async (id: string, person = admin) => (await person.listStrategies({})).strategies.find((strategy) => strategy.id === id);
const result = async (id: string) => (await shown(id))?.sheet_result;

const row = (name: string) => ['2026-11-22T10:00:00.123Z', 'Quiet', 'BTC/USDT', 'long', 64_321.5, '', '', `${name}-opened`];
/** Rows that are due: the database's clock is finer than this program's, so that a row may be left a part of a millisecond after now. */
const leave = async (botId: string, names: readonly string[]): Promise<void> => {
  await addBotMessages(
    db,
    names.map((name) => ({ botId, text: name, cells: row(name) })),
  );
  pass(1);
};
const faults: string[] = []; // as they are logged
const onFault = (fault: { kind: string; tries: number; fault: string }): void =>
  void faults.push(`${fault.kind} ${fault.tries}: ${fault.fault}`);
const send = (from = sheets) => sendDueMessages({ db, sender: sheetSender(strategySecrets, from), now, onFault });
const names = () => google.sheet(aSheetId).map((cells) => String(cells.at(-1)).replace('-opened', ''));
const waiting = async () =>
  (await db.selectFrom('tradeMessages').select('cells').orderBy('number').execute()).map(({ cells }) => cells?.at(-1));

beforeEach(async () => {
  admin = await server.signedIn('admin'); // the clock is turned beyond the end of a session
  for (const list of [google.faults, google.tokenFaults, google.calls, google.sheet(aSheetId), google.sheet(otherSheet), faults])
    list.length = 0;
  await db.deleteFrom('tradeMessages').execute();
  await setKey(ids.written, aSheetId);
  await setKey(ids.other, '');
});

describe('rows about trades', () => {
  test('OP-58 are left only where there is a key, and are appended in their sequence, once', async () => {
    await leave(bots.other, ['nobody']);
    await leave(bots.written, ['first', 'second']);
    expect(await waiting()).toEqual(['first-opened', 'second-opened']);
    await send();
    expect(google.sheet(aSheetId)).toEqual([row('first'), row('second')]);
    expect(google.calls.map(({ method }) => method)).toEqual(['POST', 'POST']); // a first try searches nothing
    await send();
    expect([names(), await waiting()]).toEqual([['first', 'second'], []]);
    expect(await result(ids.written)).toEqual({ at: expect.any(String), error: null });
    expect(await result(ids.other)).toBeNull();
  });

  test('OP-58 are written only if the transaction of the trade holds', async () => {
    const failing = db.transaction().execute(async (trx) => {
      await addBotMessages(trx, [{ botId: bots.written, text: 'x', cells: row('x') }]);
      throw new Error('the trade was not written');
    });
    await expect(failing).rejects.toThrow('the trade was not written');
    expect(await waiting()).toEqual([]);
  });

  test('OP-58 a strategy with chat and spreadsheet has one message for each', async () => {
    await admin.updateStrategy({ params: { id: ids.written }, body: { encrypted_webhook: 'https://discord.com/api/webhooks/1/token' } });
    await leave(bots.written, ['both']);
    expect(await db.selectFrom('tradeMessages').select(['kind', 'text', 'cells']).orderBy('kind').execute()).toEqual([
      { kind: 'chat', text: 'both', cells: null },
      { kind: 'sheet', text: null, cells: row('both') },
    ]);
    await send();
    expect([names(), (await shown(ids.written))?.webhook_result]).toEqual([['both'], null]);
    await admin.updateStrategy({ params: { id: ids.written }, body: { encrypted_webhook: '' } });
  });

  test('OP-58 without a key any more they are dropped', async () => {
    await leave(bots.written, ['gone']);
    await setKey(ids.written, '');
    await send();
    expect([google.calls, await waiting()]).toEqual([[], []]);
  });

  test('OP-58 a server without access keeps none, and says nothing of the last one', async () => {
    const before = await result(ids.written);
    await leave(bots.written, ['never']);
    await sendDueMessages({ db, sender: sheetSender(strategySecrets, null), now, onFault });
    expect([google.calls, await waiting(), await result(ids.written)]).toEqual([[], [], before]);
  });
});

describe('a row that fails', () => {
  test.each([
    [{ status: 500 }, 'Google has failed (HTTP 500).'],
    [{ status: 429 }, 'Google accepts no more rows for now (HTTP 429).'],
    ['hang-up', 'Google could not be reached.'],
  ] as const)('OP-58 with %j is tried again with growing pauses, and the others of its strategy wait with it', async (fault, error) => {
    await setKey(ids.other, otherSheet);
    await leave(bots.written, ['first', 'second']);
    await leave(bots.other, ['unaffected']);
    onTestFinished(server.hold()); // the pauses are of seconds, and this machine may be slow
    google.faults.push(fault);
    await send();
    expect(await result(ids.written)).toEqual({ at: expect.any(String), error });
    expect([names(), google.sheet(otherSheet).length]).toEqual([[], 1]);
    pass(14_000);
    await send();
    expect(names()).toEqual([]); // not due yet
    pass(2_000);
    google.faults.push({ status: 500 });
    await send();
    pass(16_000);
    await send();
    expect(names()).toEqual([]); // the second pause is twice as long
    pass(16_000);
    await send();
    expect([names(), (await result(ids.written))?.error]).toEqual([['first', 'second'], null]);
    expect(faults).toEqual([`sheet 1: ${error}`, 'sheet 2: Google has failed (HTTP 500).']);
  });

  test('OP-58 with 429 and Retry-After is left alone as long as Google asks', async () => {
    await leave(bots.written, ['first', 'second']);
    google.faults.push({ status: 429, headers: { 'Retry-After': '600' } });
    await send();
    pass(590_000);
    await send();
    expect([names(), google.calls.length]).toEqual([[], 1]);
    pass(20_000);
    await send();
    expect(names()).toEqual(['first', 'second']);
  });

  test('OP-58 because of its key or a missing share says what to do', async () => {
    const errorWith = async (key: string) => {
      await setKey(ids.written, key);
      await leave(bots.written, ['lost']);
      await send();
      await db.deleteFrom('tradeMessages').execute();
      return (await result(ids.written))?.error;
    };
    expect(await errorWith(`private-${aSheetId}`)).toBe(
      'Share the spreadsheet with rows@flotilla-1.iam.gserviceaccount.com as editor: this server may not write to it.',
    );
    expect(await errorWith(`no-${aSheetId}`)).toBe(
      'There is no spreadsheet with this key. Check the key, and share the spreadsheet with rows@flotilla-1.iam.gserviceaccount.com as editor.',
    );
    google.faults.push({ status: 403, body: { error: { details: [{ reason: 'SERVICE_DISABLED' }] } } });
    expect(await errorWith(aSheetId)).toBe('The Google Sheets API is not switched on in the project of the service account.');
    expect(await errorWith('the monthly sheet')).toMatch(/^This is not the key of a spreadsheet\./u);
    google.calls.length = 0;
    expect(await errorWith(`${aSheetId}/../x`)).toMatch(/^This is not the key of a spreadsheet\./u);
    expect(google.calls).toEqual([]);
  });

  test('OP-58 whose key cannot be opened any more says so, and the rows of others are still written', async () => {
    await setKey(ids.other, otherSheet);
    await db
      .updateTable('strategies')
      .set({ sheetsKey: JSON.stringify({ v: 1, kid: 'lost', ct: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }) })
      .where('id', '=', ids.written)
      .execute();
    await leave(bots.written, ['unreadable']);
    await leave(bots.other, ['unaffected']);
    await send();
    expect([(await result(ids.written))?.error, google.sheet(otherSheet).length]).toEqual([
      'The spreadsheet key was sealed with a key that is lost. Enter it again.',
      1,
    ]);
  });

  test('OP-58 is given up after a day', async () => {
    await leave(bots.written, ['too late']);
    await db
      .updateTable('tradeMessages')
      .set({ createdAt: new Date(now().getTime() - 25 * 3_600_000) })
      .execute();
    await send();
    expect([names(), await waiting()]).toEqual([[], []]);
  });
});

describe('a row is written once', () => {
  test('OP-58 when the answer was lost after it was written', async () => {
    await leave(bots.written, ['first', 'second']);
    google.faults.push('lost');
    await send();
    expect([names(), (await result(ids.written))?.error]).toEqual([['first'], 'Google could not be reached.']);
    pass(16_000);
    await send();
    expect([names(), await waiting(), (await result(ids.written))?.error]).toEqual([['first', 'second'], [], null]);
  });

  test('OP-58 when the process was killed between writing and noting it', async () => {
    await leave(bots.written, ['first']);
    holdFromNow();
    const killed = sendDueMessages({
      db,
      now,
      onFault,
      sender: {
        kind: 'sheet',
        async send(message, target) {
          await sheetSender(strategySecrets, sheets).send?.(message, target);
          throw new Error('killed'); // after Google has it, before the row is removed
        },
      },
    });
    await expect(killed).rejects.toThrow('killed');
    expect([names(), await waiting()]).toEqual([['first'], ['first-opened']]);
    pass(110_000);
    await send();
    expect(names()).toEqual(['first']); // it still belongs to the one that was killed
    pass(20_000);
    await send();
    expect([names(), await waiting()]).toEqual([['first'], []]);
  });

  test('OP-58 is not written again while its spreadsheet cannot be searched', async () => {
    await leave(bots.written, ['first']);
    google.faults.push('lost');
    await send();
    pass(16_000);
    google.faults.push('endless');
    await send();
    expect([names(), (await result(ids.written))?.error]).toEqual([
      ['first'],
      'The spreadsheet has too many rows to be searched. Begin a new one.',
    ]);
  });

  test('OP-58 by several web processes at once', async () => {
    const all = Array.from({ length: 30 }, (_, i) => `row${i}`);
    await leave(bots.written, all);
    const processes = Array.from({ length: 3 }, () => googleSpreadsheets(google.account, clock, google.reach));
    for (let round = 0; round < 3; round++) await Promise.all(processes.map((each) => send(each)));
    expect(names().toSorted()).toEqual(all.toSorted());
    expect(await waiting()).toEqual([]);
  });

  test('OP-58 by a second process while the first still waits for Google', async () => {
    await leave(bots.written, ['slow']);
    holdFromNow();
    google.faults.push('silent');
    const deadline = new AbortController(); // of the first: it has come when the test says so
    const deadlines = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    onTestFinished(() => deadlines.mockRestore());
    const first = send(googleSpreadsheets(google.account, clock, google.reach));
    await expect.poll(() => google.calls.length).toBe(1);
    deadlines.mockRestore();
    pass(60_000);
    await send();
    expect(google.calls.length).toBe(1);
    deadline.abort();
    await first;
  });
});

describe('the key as a person enters it', () => {
  test.each([
    `https://docs.google.com/spreadsheets/d/${aSheetId}/edit#gid=0`,
    `https://docs.google.com/spreadsheets/u/1/d/${aSheetId}/edit?usp=sharing`,
    `https://docs.google.com/spreadsheets/d/${aSheetId}`,
    ` ${aSheetId} `,
  ])('OP-58 %s leads to the spreadsheet and stays as it was entered', async (key) => {
    await setKey(ids.written, key);
    expect((await shown(ids.written))?.encrypted_sheets_key).toBe(key);
    await leave(bots.written, ['first']);
    await send();
    expect(names()).toEqual(['first']);
  });
});

describe('the test row', () => {
  const tryOut = (id: string, person = admin) => person.testSheet({ params: { id } });

  test('is written and says how it went', async () => {
    expect(await tryOut(ids.written)).toEqual({ error: null });
    expect(google.sheet(aSheetId)).toEqual([[expect.any(String), 'Test row of Flotilla for the strategy RSI reversal']]);
    expect(await result(ids.written)).toEqual({ at: expect.any(String), error: null });
    await setKey(ids.written, `private-${aSheetId}`);
    const error = 'Share the spreadsheet with rows@flotilla-1.iam.gserviceaccount.com as editor: this server may not write to it.';
    expect(await tryOut(ids.written)).toEqual({ error });
    expect((await result(ids.written))?.error).toBe(error);
    await setKey(ids.written, 'the monthly sheet');
    expect((await tryOut(ids.written)).error).toMatch(/^This is not the key of a spreadsheet\./u);
    const { lines } = await listAudit(db, { action: 'test-sheet' }, 3);
    expect(lines.map((line) => line.result)).toEqual(['failed', 'failed', 'ok']);
  });

  test('needs a key and an admin, is not written often, and only admins see the account and the last result', async () => {
    expect((await failure(tryOut(ids.other))).message).toBe('400 No sheets key is set');
    expect((await failure(tryOut('00000000-0000-4000-8000-00000000dead'))).message).toBe('404 Strategy not found');
    const operator = await server.signedIn('operator');
    expect((await failure(tryOut(ids.written, operator))).message).toBe('403 Admin access required');
    expect((await shown(ids.written))?.sheet_account).toBe('rows@flotilla-1.iam.gserviceaccount.com');
    expect(await shown(ids.written, operator)).toMatchObject({ sheet_account: null, sheet_result: null, encrypted_sheets_key: null });
    const another = await server.signedIn('admin');
    for (let i = 0; i < 10; i++) await tryOut(ids.written, another);
    expect((await failure(tryOut(ids.written, another))).status).toBe(429);
  });

  test('is refused where the server has no access', async () => {
    const without = await startTestServer();
    await enterBuiltInStrategies(without.dependencies.db);
    const person = await without.signedIn('admin');
    const id = (await person.listStrategies({})).strategies[0]?.id ?? '';
    await person.updateStrategy({ params: { id }, body: { encrypted_sheets_key: aSheetId } });
    expect((await failure(person.testSheet({ params: { id } }))).message).toBe('400 This server has no access to spreadsheets');
    expect((await person.listStrategies({})).strategies[0]?.sheet_account).toBeNull();
  });
});
