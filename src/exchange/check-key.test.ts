import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { secondMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { ExchangeError } from '#engine/ports/exchange-error.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { checkKey } from './check-key.ts';

const sandbox = await startSandbox();
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.close());

const newKey = async (right: string): Promise<{ apiKey: string; secretKey: string }> => {
  const answer = await fetch(`${sandbox.url}/sandbox/v1/keys?right=${right}`, { method: 'POST' });
  return (await answer.json()) as { apiKey: string; secretKey: string };
};
const check = (key: string, secret: string, marketTypes?: readonly MarketType[]) =>
  checkKey({ exchangeId: 'sandbox', sandboxUrl: sandbox.url, credentials: { key, secret, passphrase: null }, marketTypes });
const failure = async (key: string, secret: string): Promise<ExchangeError> =>
  check(key, secret).then(
    () => expect.unreachable(),
    (error: unknown) => error as ExchangeError,
  );

describe('a key that the exchange has handed out', () => {
  test.each([
    ['read', { canTrade: false, canWithdraw: false, isIpBound: false }],
    ['trade', { canTrade: true, canWithdraw: false, isIpBound: false }],
    ['withdraw', { canTrade: true, canWithdraw: true, isIpBound: false }],
  ])('with the right to %s', async (right, rights) => {
    const { apiKey, secretKey } = await newKey(right);
    expect(await check(apiKey, secretKey)).toEqual(rights);
  });

  const [spot, futures] = [['spot'], ['futures']] as const;
  test.each<[string, readonly MarketType[] | undefined, boolean | null]>([
    ['spot', spot, true],
    ['spot', futures, false],
    ['spot', [...spot, ...futures], false],
    ['futures', spot, false],
    ['futures', ['margin'], false],
    ['futures', futures, true],
    ['trade', [...spot, ...futures], true],
    ['read', futures, false],
    // Where it is to trade is not known: it may somewhere.
    ['spot', undefined, true],
    ['futures', [], true],
    ['read', [], false],
  ])('with the right to trade %s, for %s: whether it may trade there', async (right, marketTypes, expected) => {
    const { apiKey, secretKey } = await newKey(right);
    expect(await check(apiKey, secretKey, marketTypes)).toEqual({ canTrade: expected, canWithdraw: false, isIpBound: false });
  });

  test('whose exchange does not say whether it may trade perpetuals', async () => {
    const { apiKey, secretKey } = await newKey('trade');
    const said = { ipRestrict: true, enableWithdrawals: false, enableSpotAndMarginTrading: true };
    for (const [marketTypes, canTrade] of [
      [futures, null],
      [undefined, true],
      [spot, true],
    ] as const) {
      const fault = { kind: 'body', body: JSON.stringify(said) } as const;
      sandbox.faults.add({ method: 'GET', path: '/sapi/v1/account/apiRestrictions', times: 1, fault });
      expect(await check(apiKey, secretKey, marketTypes)).toEqual({ canTrade, canWithdraw: false, isIpBound: true });
    }
  });
});

test('a wrong secret, a foreign key and none are refused as such', async () => {
  const { apiKey, secretKey } = await newKey('trade');
  for (const [key, secret] of [
    [apiKey, `${secretKey.slice(0, -1)}${secretKey.endsWith('0') ? '1' : '0'}`],
    [`t${'0'.repeat(62)}y`, secretKey],
    ['x', 'y'],
  ] as const)
    expect((await failure(key, secret)).kind).toBe('unauthorised');
});

test('an exchange that does not answer says nothing about the key', async () => {
  const { apiKey, secretKey } = await newKey('trade');
  sandbox.faults.add({
    method: 'GET',
    path: '/sapi/v1/account/apiRestrictions',
    fault: { kind: 'error', status: 502, code: -1001, message: 'Internal error' },
  });
  expect((await failure(apiKey, secretKey)).kind).toBe('temporary');
});

test('no error contains the key, its secret or the signature', async () => {
  const { apiKey, secretKey } = await newKey('trade');
  sandbox.faults.add({
    method: 'GET',
    path: '/sapi/v1/account/apiRestrictions',
    fault: { kind: 'body', body: `{"k":"${apiKey}","s":"${secretKey}` },
  });
  const error = await failure(apiKey, secretKey);
  expect(error.message).not.toContain(apiKey);
  expect(error.message).not.toContain(secretKey);
  expect(error.message).not.toMatch(/signature=[0-9a-f]/u);
  expect(error.cause).toBeUndefined();
});

describe('the sandbox signs as the exchange does', () => {
  const account = async (query: string, key: string) => {
    const answer = await fetch(`${sandbox.url}/api/v3/account?${query}`, { headers: { 'x-mbx-apikey': key } });
    return { status: answer.status, ...((await answer.json()) as { code?: number }) };
  };
  test('without a key, with an old or future time, without a signature', async () => {
    const { apiKey } = await newKey('trade');
    const now = sandbox.clock.now();
    expect(await account(`timestamp=${now}`, '')).toMatchObject({ status: 401, code: -2014 });
    expect(await account(`timestamp=${now}`, 'nobody')).toMatchObject({ status: 401, code: -2015 });
    expect(await account(`timestamp=${now - 6 * secondMs}&signature=00`, apiKey)).toMatchObject({ status: 400, code: -1021 });
    expect(await account(`timestamp=${now + 60 * secondMs}&signature=00`, apiKey)).toMatchObject({ status: 400, code: -1021 });
    expect(await account(`timestamp=${now}`, apiKey)).toMatchObject({ status: 400, code: -1022 });
  });
});
