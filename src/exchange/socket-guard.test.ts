import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connect } from './connect.ts';
import { SocketGuard } from './socket-guard.ts';

const url = 'ws://127.0.0.1:9/stream/ws/0';
const checkMs = 250;

async function guarded() {
  const { client } = connect({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: 'http://127.0.0.1:9' });
  await client.loadHttpProxyAgent();
  const lost: string[] = [];
  const firsts: boolean[] = [];
  const guard = new SocketGuard(
    client,
    { onFrame: (first) => firsts.push(first), onLost: (reason) => lost.push(reason) },
    { leastMs: 10_000, mostMs: 60_000 },
  );
  onTestFinished(() => guard.end());
  return { client, guard, lost, firsts };
}

/** A socket with a subscription, on a clock that the test moves; `receive` gives ccxt a frame it has no use for. */
async function guardedSocket() {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { client, lost, firsts } = await guarded();
  const socket = client.client(url);
  const subscriptions: Record<string, boolean> = Object.assign(socket.subscriptions, { 'btcusdt@kline_1m': true });
  return { client, lost, firsts, subscriptions, receive: () => client.handleMessage(socket, { e: 'of no interest' }) };
}

describe('the socket guard', () => {
  test('a promise of ccxt that fails while nobody awaits it does not end the process', async () => {
    const rejections: unknown[] = [];
    const note = (error: unknown) => rejections.push(error);
    process.on('unhandledRejection', note);
    const { client, lost } = await guarded();
    const socket = client.client(url);
    void socket.future('authenticate');
    socket.onError(new Error('refused'));
    await sleep(50);
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
    expect(lost).toEqual(['refused']);
  });

  test('the loss of a socket is reported once, however it is noticed', async () => {
    const { client, guard, lost } = await guarded();
    const socket = client.client(url);
    socket.onError(new Error('refused'));
    client.onClose(socket, new Error('closed'));
    guard.dropAll('for good measure');
    expect(lost).toEqual(['refused']);
  });

  test('messages to one socket keep a distance that no exchange minds', async () => {
    const { client } = await guarded();
    const socket = client.client(url) as ReturnType<typeof client.client> & { connection: { send: unknown } };
    const sentAt: number[] = [];
    socket.connection = {
      send: (_text: string, _options: object, done: () => void) => {
        sentAt.push(performance.now());
        done();
      },
    };
    await Promise.all([1, 2, 3].map((id) => socket.send({ id })));
    expect(sentAt).toHaveLength(3);
    expect(sentAt[1] - sentAt[0]).toBeGreaterThan(200);
    expect(sentAt[2] - sentAt[1]).toBeGreaterThan(200);
  });

  test('a socket without a frame for the shortest limit is lost, not before', async () => {
    const { lost } = await guardedSocket();
    vi.advanceTimersByTime(10_000);
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(checkMs);
    expect(lost).toEqual([expect.stringContaining('no frame was received for')]);
    vi.advanceTimersByTime(60_000);
    expect(lost).toHaveLength(1);
  });

  test('each frame begins the wait again, and the first one is named', async () => {
    const { lost, firsts, receive } = await guardedSocket();
    for (let i = 0; i < 4; i++) {
      vi.advanceTimersByTime(9000);
      receive();
    }
    expect(lost).toEqual([]);
    expect(firsts).toEqual([true, false, false, false]);
  });

  test('a socket whose frames are usually far apart is given three times as long, up to the longest limit', async () => {
    const { lost, receive } = await guardedSocket();
    const receiveEvery = (ms: number): void => {
      for (let i = 0; i < 60; i++) {
        vi.advanceTimersByTime(ms);
        receive();
      }
    };
    receiveEvery(9_000);
    receiveEvery(25_000); // near three times the usual nine seconds
    vi.advanceTimersByTime(60_000); // not three times 25 seconds
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(checkMs);
    expect(lost).toHaveLength(1);
  });

  test('a socket without subscriptions is closed quietly: it is expected to be silent', async () => {
    const { client, lost, subscriptions } = await guardedSocket();
    delete subscriptions['btcusdt@kline_1m'];
    vi.advanceTimersByTime(60_000);
    expect(lost).toEqual([]);
    expect(Object.keys(client.clients)).toEqual([]);
  });
});
