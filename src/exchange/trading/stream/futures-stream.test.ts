import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { minuteMs } from '#engine/market/durations.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { AccountClient } from '../account-client.ts';
import { openFuturesStream } from './futures-stream.ts';
import { control, newCredentials } from '../testing/sandbox-account.ts';

const sandbox = await startSandbox({ controlPort: 0 });
afterAll(() => sandbox.close());

const renewal = { everyMs: 51, retryMs: 52 };

/** An account whose stream can be opened. */
async function newAccount(): Promise<AccountClient> {
  const credentials = await newCredentials(sandbox);
  const account = new AccountClient({ exchangeId: 'sandbox', marketType: 'futures', credentials, sandboxUrl: sandbox.url });
  await account.prepare();
  return account;
}

/** A stream that renews its key twenty times a second, or as often as in use. */
async function open(account: AccountClient, isUsual = false) {
  const lost: string[] = [];
  const stream = await openFuturesStream(account, (reason) => lost.push(reason), ...(isUsual ? [] : [renewal]));
  onTestFinished(async () => {
    stream.end();
    sandbox.faults.clear();
    for (const socket of Object.values(account.ccxt.clients)) socket.connection?.terminate?.();
  });
  return { stream, lost };
}

/** How many of so many renewals have still to come; each is carried out. */
const renewals = (times: number) => {
  for (let i = 0; i < times; i++)
    sandbox.faults.add({ method: 'PUT', path: '/fapi/v1/listenKey', times: 1, fault: { kind: 'delay', ms: 1 } });
  return () => sandbox.faults.list().length;
};

test('a listen key is renewed again and again, until the stream is ended', async () => {
  const { stream, lost } = await open(await newAccount());
  await expect.poll(renewals(3)).toBe(0);
  stream.end();
  const left = renewals(1);
  await sleep(300);
  expect(left()).toBe(1);
  expect(lost).toEqual([]);
});

test('a listen key, which lives for an hour, is renewed in the half hour that the exchange asks for', async () => {
  const account = await newAccount();
  const renew = vi.spyOn(account.ccxt, 'fapiPrivatePutListenKey');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { lost } = await open(account, true);
  vi.advanceTimersByTime(30 * minuteMs);
  await expect.poll(() => renew.mock.settledResults.map(({ type }) => type)).toEqual(['fulfilled']);
  expect(lost).toEqual([]);
});

test('a renewal that is under way when the stream is ended is the last one', async () => {
  const account = await newAccount();
  const { stream, lost } = await open(account);
  const renew = account.ccxt.fapiPrivatePutListenKey.bind(account.ccxt);
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let answered = 0;
  vi.spyOn(account.ccxt, 'fapiPrivatePutListenKey').mockImplementation(async (...given) => {
    const answer = await renew(...given);
    asked.resolve();
    await gate.promise; // the answer is on its way for long
    answered += 1;
    return answer;
  });
  await asked.promise;
  stream.end();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  gate.resolve();
  await expect.poll(() => answered).toBe(1);
  await new Promise(setImmediate);
  expect(timers.mock.calls.filter(([, ms]) => ms === renewal.everyMs || ms === renewal.retryMs)).toEqual([]);
  timers.mockRestore();
  expect(lost).toEqual([]);
});

test('a renewal that is not answered is tried again; one of a key that is no more ends the stream', async () => {
  const { lost } = await open(await newAccount());
  sandbox.faults.add({ method: 'PUT', path: '/fapi/v1/listenKey', times: 2, fault: { kind: 'reset' } });
  await expect.poll(() => sandbox.faults.list()).toEqual([]);
  expect(lost).toEqual([]);
  await control(sandbox, 'POST /listen-keys/end');
  await expect.poll(() => lost).toEqual(['its listen key has ended']);
});
