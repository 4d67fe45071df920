import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { connect } from './connect.ts';
import { SocketGuard } from './socket-guard.ts';

const url = 'ws://127.0.0.1:9/stream/ws/0';

async function guarded() {
  const { client } = connect({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: 'http://127.0.0.1:9' });
  await client.loadHttpProxyAgent();
  const lost: string[] = [];
  const guard = new SocketGuard(client, { onFrame: () => {}, onLost: (reason) => lost.push(reason) }, { leastMs: 10_000, mostMs: 60_000 });
  return { client, guard, lost };
}

describe('the socket guard', () => {
  test('a promise of ccxt that fails while nobody awaits it does not end the process', async () => {
    const rejections: unknown[] = [];
    const note = (error: unknown) => rejections.push(error);
    process.on('unhandledRejection', note);
    const { client, guard, lost } = await guarded();
    const socket = client.client(url);
    void socket.future('authenticate');
    socket.onError(new Error('refused'));
    await sleep(50);
    process.off('unhandledRejection', note);
    guard.end();
    expect(rejections).toEqual([]);
    expect(lost).toEqual(['refused']);
  });

  test('the loss of a socket is reported once, however it is noticed', async () => {
    const { client, guard, lost } = await guarded();
    const socket = client.client(url);
    socket.onError(new Error('refused'));
    client.onClose(socket, new Error('closed'));
    guard.dropAll('for good measure');
    guard.end();
    expect(lost).toEqual(['refused']);
  });

  test('messages to one socket keep a distance that no exchange minds', async () => {
    const { client, guard } = await guarded();
    const socket = client.client(url) as ReturnType<typeof client.client> & { connection: { send: unknown } };
    const sentAt: number[] = [];
    socket.connection = {
      send: (_text: string, _options: object, done: () => void) => {
        sentAt.push(performance.now());
        done();
      },
    };
    await Promise.all([1, 2, 3].map((id) => socket.send({ id })));
    guard.end();
    expect(sentAt).toHaveLength(3);
    expect(sentAt[1] - sentAt[0]).toBeGreaterThan(200);
    expect(sentAt[2] - sentAt[1]).toBeGreaterThan(200);
  });
});
