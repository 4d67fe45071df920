import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { aSheetId, openGoogle } from '../../../test/support/google.ts';
import { publicLookup } from '../public-lookup.ts';
import { googleSpreadsheets } from './spreadsheets.ts';

const google = await openGoogle();
let shift = 0;
const now = () => new Date(Date.parse('2026-11-22T10:00:00Z') + shift);
const open = (reach: Partial<typeof google.reach> = {}) => googleSpreadsheets(google.account, now, { ...google.reach, ...reach });
const row = ['2026-11-22T10:00:00.123Z', 'Quiet', 'BTC/USDT', 'long', 64_321.5, '', '', '0a1b2c3d4e5f-opened'];
const refused = (status: number, more: object = {}) => ({
  ok: false,
  fault: { reason: 'refused', status, isApiOff: false, retryAfterMs: null, ...more },
});

beforeEach(() => {
  shift = 0;
  google.sheet(aSheetId).length = 0;
  for (const list of [google.calls, google.tokensGiven, google.faults, google.tokenFaults]) list.length = 0;
});

describe('a row', () => {
  test('OP-58 is appended with a token for a signed request, raw, after the last one', async () => {
    const sheets = open();
    expect(sheets.account).toBe('rows@flotilla-1.iam.gserviceaccount.com');
    expect(await sheets.append(aSheetId, row)).toEqual({ ok: true });
    expect(google.sheet(aSheetId)).toEqual([row]);
    expect(google.calls).toEqual([
      {
        method: 'POST',
        path: `/v4/spreadsheets/${aSheetId}/values/A1:append`,
        query: { valueInputOption: 'RAW', insertDataOption: 'INSERT_ROWS', fields: 'spreadsheetId' },
      },
    ]);
  });

  test('OP-58 keeps texts that a spreadsheet would take for formulas as they are', async () => {
    const texts = ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("https://evil.example","x")', '\t=1', 'Ü 網 "'];
    expect(await open().append(aSheetId, texts)).toEqual({ ok: true });
    expect(google.sheet(aSheetId)).toEqual([texts]);
  });

  test.each([
    ['empty', ''],
    ['short', 'abc'],
    ['with a slash', `${aSheetId}/../../v4/other`],
    ['with a colon', `${aSheetId}:batchUpdate`],
    ['with a query', `${aSheetId}?access_token=x`],
    ['with a blank', `${aSheetId} `],
    ['with a percent sign', `${aSheetId}%2F..`],
    ['of another alphabet', `${aSheetId}ä`],
    ['with a line break', `${aSheetId}\n`],
    ['long', 'a'.repeat(121)],
  ])('with a key that is %s goes nowhere', async (_, id) => {
    expect(await open().append(id, row)).toEqual({ ok: false, fault: { reason: 'not-a-key' } });
    expect(await open().column(id, 'H')).toEqual({ ok: false, fault: { reason: 'not-a-key' } });
    expect([google.calls, google.tokensGiven]).toEqual([[], []]);
  });
});

describe('the column', () => {
  test('has the texts of all rows; an empty sheet has none', async () => {
    const sheets = open();
    expect(await sheets.column(aSheetId, 'H')).toEqual({ ok: true, texts: new Set() });
    await sheets.append(aSheetId, row);
    await sheets.append(aSheetId, ['a', 'short row']);
    expect(await sheets.column(aSheetId, 'H')).toEqual({ ok: true, texts: new Set(['0a1b2c3d4e5f-opened', '']) });
  });

  test('of 100,000 rows is read; an endless one is cut off', async () => {
    for (let i = 0; i < 100_000; i++) google.sheet(aSheetId).push(['', '', '', '', '', '', '', `${String(i).padStart(12, '0')}-closed`]);
    const read = await open().column(aSheetId, 'H');
    expect(read.ok && read.texts.size).toBe(100_000);
    google.faults.push('endless');
    expect(await open().column(aSheetId, 'H')).toEqual({ ok: false, fault: { reason: 'answer-too-long' } });
  });
});

describe('a token', () => {
  test('serves until a minute before its end, and all who ask at once', async () => {
    const sheets = open();
    await Promise.all([sheets.append(aSheetId, row), sheets.append(aSheetId, row), sheets.column(aSheetId, 'H')]);
    expect(google.tokensGiven).toEqual(['ya29.1']);
    shift = 3_538_000;
    await sheets.append(aSheetId, row);
    expect(google.tokensGiven).toHaveLength(1);
    shift = 3_539_000;
    await sheets.append(aSheetId, row);
    expect(google.tokensGiven).toHaveLength(2);
  });

  test('that has ended early is replaced once', async () => {
    const sheets = open();
    await sheets.append(aSheetId, row);
    google.endTokens();
    expect(await sheets.append(aSheetId, row)).toEqual({ ok: true });
    expect([google.tokensGiven.length, google.sheet(aSheetId).length]).toEqual([2, 2]);
    google.faults.push({ status: 401 }, { status: 401 }, { status: 401 });
    expect(await sheets.append(aSheetId, row)).toEqual(refused(401));
    expect([google.faults.length, google.sheet(aSheetId).length]).toEqual([1, 2]);
  });

  test.each([
    [400, { ok: false, fault: { reason: 'account-refused' } }],
    [401, { ok: false, fault: { reason: 'account-refused' } }],
    [503, { ok: false, fault: { reason: 'token-refused', status: 503, isApiOff: false, retryAfterMs: null } }],
    [302, { ok: false, fault: { reason: 'token-refused', status: 302, isApiOff: false, retryAfterMs: null } }],
  ])('that is refused with %d is asked for again by the next call', async (status, failed) => {
    const sheets = open();
    google.tokenFaults.push({ status, body: { error: 'invalid_grant' }, headers: { Location: 'https://evil.example/' } });
    expect(await sheets.append(aSheetId, row)).toEqual(failed);
    expect(google.calls).toEqual([]);
    expect(await sheets.append(aSheetId, row)).toEqual({ ok: true });
  });

  test.each([{ access_token: 'a b', expires_in: 3_599 }, { access_token: 'a\r\nHost: x' }, { access_token: 7 }, {}])(
    'that could not be sent (%j) is none',
    async (body) => {
      google.tokenFaults.push({ status: 200, body });
      expect(await open().append(aSheetId, row)).toEqual({ ok: false, fault: { reason: 'not-understood' } });
    },
  );

  test('and the key are in no failure', async () => {
    google.tokenFaults.push({ status: 400 });
    const failed = await open().append(aSheetId, row);
    const shown = inspect([failed, google.account, open()], { depth: 9, showHidden: true });
    const pem = (JSON.parse(google.accountFile) as { private_key: string }).private_key;
    for (const line of pem.split('\n').filter((each) => each.length > 20)) expect(shown).not.toContain(line);
  });
});

describe('what Google answers', () => {
  test.each([
    [{ status: 500 }, refused(500)],
    [{ status: 503, headers: { 'Retry-After': 'soon' } }, refused(503)],
    [{ status: 429, headers: { 'Retry-After': '30' } }, refused(429, { retryAfterMs: 30_000 })],
    [{ status: 429, headers: { 'Retry-After': '999999' } }, refused(429, { retryAfterMs: 3_600_000 })],
    [{ status: 429, headers: { 'Retry-After': 'Sun, 22 Nov 2026 10:01:00 GMT' } }, refused(429, { retryAfterMs: 60_000 })],
    [{ status: 302, headers: { Location: 'https://evil.example/' } }, refused(302)],
    [{ status: 403, body: { error: { details: [{ reason: 'SERVICE_DISABLED' }] } } }, refused(403, { isApiOff: true })],
  ])('%j is a refusal with what it asks for', async (fault, expected) => {
    google.faults.push(fault);
    expect(await open().append(aSheetId, row)).toEqual(expected);
    expect([google.calls.length, google.sheet(aSheetId)]).toEqual([1, []]);
  });

  test('a sheet that is not shared, and one that is not there', async () => {
    expect(await open().append(`private-${aSheetId}`, row)).toEqual(refused(403));
    expect(await open().append(aSheetId.replaceAll('1', '2'), row)).toEqual(refused(404));
  });

  test('a lost answer leaves the row, a connection that breaks before does not; neither is known', async () => {
    google.faults.push('lost', 'hang-up');
    const sheets = open();
    const lost = { ok: false, fault: { reason: 'unreachable' } };
    expect(await sheets.append(aSheetId, row)).toEqual(lost);
    expect(google.sheet(aSheetId)).toEqual([row]);
    expect(await sheets.append(aSheetId, row)).toEqual(lost);
    expect(google.sheet(aSheetId)).toEqual([row]);
  });

  test('one that is slow, endless or no JSON is a fault', async () => {
    const sheets = open();
    await sheets.append(aSheetId, row);
    for (const slow of ['silent', 'stalls'] as const) {
      google.faults.push(slow);
      expect(await open({ deadlineMs: 1_500 }).append(aSheetId, row)).toEqual({ ok: false, fault: { reason: 'too-slow' } });
    }
    google.faults.push('endless');
    expect(await sheets.append(aSheetId, row)).toEqual({ ok: false, fault: { reason: 'answer-too-long' } });
    google.faults.push('nonsense');
    expect(await sheets.column(aSheetId, 'H')).toEqual({ ok: false, fault: { reason: 'not-understood' } });
  });

  test('an address that is not public is not asked', async () => {
    const lookup = publicLookup(async () => [{ address: '127.0.0.1', family: 4 }]);
    expect(await open({ lookup }).append(aSheetId, row)).toEqual({ ok: false, fault: { reason: 'host-not-public' } });
    expect(google.calls).toEqual([]);
  });
});
