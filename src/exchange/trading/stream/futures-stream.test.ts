import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { AccountClient } from '../account-client.ts';
import { openFuturesStream } from './futures-stream.ts';
import { control, newCredentials } from '../testing/sandbox-account.ts';

const sandbox = await startSandbox({ controlPort: 0 });
afterAll(() => sandbox.close());

/** A stream that renews its key twenty times a second. */
async function open() {
  const credentials = await newCredentials(sandbox);
  const account = new AccountClient({ exchangeId: 'sandbox', marketType: 'futures', credentials, sandboxUrl: sandbox.url });
  await account.prepare();
  const lost: string[] = [];
  const stream = await openFuturesStream(account, (reason) => lost.push(reason), { everyMs: 50, retryMs: 50 });
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
  const { stream, lost } = await open();
  await expect.poll(renewals(3)).toBe(0);
  stream.end();
  const left = renewals(1);
  await sleep(300);
  expect(left()).toBe(1);
  expect(lost).toEqual([]);
});

test('a renewal that is not answered is tried again; one of a key that is no more ends the stream', async () => {
  const { lost } = await open();
  sandbox.faults.add({ method: 'PUT', path: '/fapi/v1/listenKey', times: 2, fault: { kind: 'reset' } });
  await expect.poll(() => sandbox.faults.list()).toEqual([]);
  expect(lost).toEqual([]);
  await control(sandbox, 'POST /listen-keys/end');
  await expect.poll(() => lost).toEqual(['its listen key has ended']);
});
