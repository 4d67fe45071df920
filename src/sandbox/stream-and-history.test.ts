import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { minuteMs } from '#engine/market/durations.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
import { patienceMs } from '../../test/support/patience.ts';

interface Frame {
  id?: number;
  result?: unknown;
  error?: { code: number; msg: string };
  u?: number;
  U?: number;
  k?: { t: number; o: string; h: string; l: string; c: string; v: string; x: boolean };
}

const patient = { timeout: patienceMs, interval: 10 };

/** A sandbox and a socket to it; all frames that have arrived, and how to send. */
async function connected(options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return { sandbox, ...(await openSocket(sandbox)) };
}

async function openSocket(sandbox: Sandbox) {
  const socket = new WebSocket(`ws://127.0.0.1:${sandbox.port}/stream/ws/0`);
  const frames: Frame[] = [];
  const closed = vi.fn<(code: number) => void>();
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString('utf8')) as Frame));
  socket.on('close', closed);
  socket.on('error', () => {});
  await once(socket, 'open');
  let id = 0;
  /** Sends a request and waits for its answer. */
  const ask = async (method: string, ...params: string[]): Promise<Frame> => {
    const own = ++id;
    socket.send(JSON.stringify({ method, params, id: own }));
    return await vi.waitUntil(() => frames.find((frame) => frame.id === own), patient);
  };
  const closedCandles = () => frames.flatMap(({ k }) => (k?.x === true ? [k] : []));
  return { socket, frames, closed, ask, closedCandles };
}

/** The candles of BTC/USDT that history has from a time on. */
async function history(sandbox: Sandbox, from: number, count: number): Promise<unknown[][]> {
  const answer = await fetch(`${sandbox.url}/api/v3/klines?symbol=BTCUSDT&interval=1m&startTime=${from}&limit=${count}`);
  return ((await answer.json()) as unknown[][]).map((row) => row.slice(0, 6));
}

describe('the stream', () => {
  test('sends at 240 times the speed exactly the candles that history returns later, each closed once, oldest first', async () => {
    const { sandbox, ask, closedCandles } = await connected({ factor: 240, startTime: Date.UTC(2026, 2, 3, 10, 0, 30) });
    await ask('SUBSCRIBE', 'btcusdt@kline_1m');
    await vi.waitUntil(() => closedCandles().length >= 8, patient);
    const candles = closedCandles();
    expect(candles.map(({ t, o, h, l, c, v }) => [t, o, h, l, c, v])).toEqual(await history(sandbox, candles[0].t, candles.length));
  });

  test('closes all candles that end between two rounds, each once, oldest first, and then shows the open one', async () => {
    const startTime = Date.UTC(2026, 2, 3, 10, 0, 30);
    const { sandbox, frames, ask, closedCandles } = await connected({ factor: 0, startTime });
    await ask('SUBSCRIBE', 'btcusdt@kline_1m');
    await vi.waitUntil(() => frames.some(({ k }) => k?.x === false), patient);
    for (const count of [1, 6]) {
      sandbox.clock.advance((count === 1 ? 1 : 5) * minuteMs);
      await vi.waitUntil(() => frames.at(-1)?.k?.t === startTime - 30_000 + count * minuteMs, patient);
      const candles = closedCandles();
      expect(candles.map(({ t, o, h, l, c, v }) => [t, o, h, l, c, v])).toEqual(await history(sandbox, startTime - 30_000, count));
    }
    expect(frames.at(-1)!.k!.x).toBe(false);
  });

  test('a book requested in the moment of subscribing is the one its changes start from', async () => {
    const { sandbox, frames, ask } = await connected();
    await ask('SUBSCRIBE', 'btcusdt@depth@100ms');
    const answer = await fetch(`${sandbox.url}/api/v3/depth?symbol=BTCUSDT`);
    const { lastUpdateId } = (await answer.json()) as { lastUpdateId: number };
    const changes = () => frames.filter(({ U }) => U !== undefined) as { U: number; u: number }[];
    await vi.waitUntil(() => changes().length >= 4, patient);
    const next = changes().filter(({ u }) => u > lastUpdateId);
    expect(next[0].U).toBeLessThanOrEqual(lastUpdateId + 1);
    changes().forEach(({ U }, i, all) => i > 0 && expect(U).toBe(all[i - 1].u + 1));
  });

  test('computes nothing without a subscription: no timer runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    expect(vi.getTimerCount()).toBe(0);
    const socket = new WebSocket(`ws://127.0.0.1:${sandbox.port}/stream/ws/0`);
    await once(socket, 'open');
    const send = async (method: string, stream: string): Promise<void> => {
      socket.send(JSON.stringify({ method, params: [stream], id: 1 }));
      await once(socket, 'message');
    };
    await send('SUBSCRIBE', 'btcusdt@kline_1m');
    await send('SUBSCRIBE', 'ethusdt@kline_1m');
    expect(vi.getTimerCount()).toBe(1);
    await send('UNSUBSCRIBE', 'ethusdt@kline_1m');
    expect(vi.getTimerCount()).toBe(1);
    await send('UNSUBSCRIBE', 'btcusdt@kline_1m');
    expect(vi.getTimerCount()).toBe(0);
    await send('SUBSCRIBE', 'btcusdt@kline_1m');
    socket.terminate();
    while (sandbox.counts().sockets > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an unknown stream, an unknown method and broken JSON are refused, the socket lives', async () => {
    const { socket, frames, ask } = await connected();
    expect((await ask('SUBSCRIBE', 'nosuch@kline_1m')).error?.code).toBe(2);
    expect((await ask('SUBSCRIBE', 'btcusdt@kline_7m')).error?.code).toBe(2);
    expect((await ask('GUESS')).error?.code).toBe(2);
    socket.send('{');
    await vi.waitUntil(() => frames.some(({ error }) => error?.code === 3), patient);
    expect((await ask('LIST_SUBSCRIPTIONS')).result).toEqual([]);
  });

  test('a subscription counts once, and its end ends it for its socket only', async () => {
    const { sandbox, ask } = await connected();
    const other = await openSocket(sandbox);
    await ask('SUBSCRIBE', 'btcusdt@kline_1m', 'btcusdt@kline_1m');
    await other.ask('SUBSCRIBE', 'btcusdt@kline_1m');
    expect(sandbox.counts()).toEqual({ sockets: 2, subscriptions: 2 });
    await ask('UNSUBSCRIBE', 'btcusdt@kline_1m');
    expect(sandbox.counts()).toEqual({ sockets: 2, subscriptions: 1 });
    await vi.waitUntil(() => other.frames.some(({ k }) => k !== undefined), patient);
  });

  test('a socket with more than 1,024 streams is refused the next one', async () => {
    const { sandbox, ask } = await connected({ crowd: 1100 });
    const names = Array.from({ length: 1024 }, (_, i) => `sim${String(i + 1).padStart(3, '0')}usdt@trade`);
    expect((await ask('SUBSCRIBE', ...names)).error).toBeUndefined();
    expect((await ask('SUBSCRIBE', 'sim1025usdt@trade')).error?.msg).toContain('invalid stream');
    expect(sandbox.counts().subscriptions).toBe(1024);
  });

  test('a socket that sends more than five messages in a second is closed', async () => {
    const { socket, closed, frames } = await connected();
    for (let id = 1; id <= 5; id++) socket.send(JSON.stringify({ method: 'LIST_SUBSCRIPTIONS', id }));
    await vi.waitUntil(() => frames.length === 5, patient);
    expect(closed).not.toHaveBeenCalled();
    for (let id = 6; id <= 12; id++) socket.send(JSON.stringify({ method: 'LIST_SUBSCRIPTIONS', id }));
    await vi.waitUntil(() => closed.mock.calls.length > 0, patient);
    expect(closed.mock.calls[0][0]).toBe(1008);
  });
});

describe('the faults of sockets', () => {
  const socketTo = (sandbox: Sandbox) => new WebSocket(`ws://127.0.0.1:${sandbox.port}/stream/ws/0`);

  test('as many connections are refused as requested, then they are accepted again', async () => {
    const { sandbox, socket } = await connected();
    socket.terminate();
    sandbox.faults.sockets.refuse(2);
    for (let i = 0; i < 2; i++) {
      const [error] = (await once(socketTo(sandbox), 'error')) as [Error];
      expect(error.message).toContain('503');
    }
    await once(socketTo(sandbox), 'open');
  });

  test('as many frames are sent twice as requested', async () => {
    const { sandbox, frames, ask } = await connected({ factor: 0 });
    await ask('SUBSCRIBE', 'btcusdt@kline_1m');
    await vi.waitUntil(() => frames.some(({ k }) => k !== undefined), patient);
    sandbox.faults.sockets.duplicate(2);
    const before = frames.length;
    sandbox.clock.advance(2 * minuteMs); // two closed candles and an open one
    await vi.waitUntil(() => frames.length >= before + 5, patient);
    const opened = frames.slice(before).map(({ k }) => k!.t);
    expect(opened.map((time) => (time - opened[0]) / minuteMs)).toEqual([0, 0, 1, 1, 2]);
  });

  test('a silenced socket stays open and sends nothing, also one that is opened meanwhile', async () => {
    const { sandbox, socket, frames, ask } = await connected();
    await ask('SUBSCRIBE', 'btcusdt@trade');
    sandbox.faults.sockets.silence();
    const other = await openSocket(sandbox);
    const before = frames.length;
    const pongs = vi.fn<() => void>();
    for (const each of [socket, other.socket]) {
      each.on('pong', pongs);
      each.send(JSON.stringify({ method: 'LIST_SUBSCRIPTIONS', params: [], id: 99 }));
      each.ping();
    }
    const witness = await fetch(`${sandbox.url}/api/v3/time`);
    expect(witness.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 500)); // time for what must not come
    expect([frames.length - before, other.frames.length, pongs.mock.calls.length]).toEqual([0, 0, 0]);
    expect(sandbox.counts().sockets).toBe(2);
    sandbox.faults.clear();
    expect((await other.ask('LIST_SUBSCRIPTIONS')).result).toEqual([]);
  });

  test('the streams of one pair are ended and counted; their socket stays, and they can be subscribed again', async () => {
    const { sandbox, socket, closed, ask } = await connected();
    await ask('SUBSCRIBE', 'ethusdt@trade', 'btcusdt@trade', 'ethusdt@bookTicker');
    expect(sandbox.faults.sockets.endStreams('ETHUSDT')).toBe(2);
    expect((await ask('LIST_SUBSCRIPTIONS')).result).toEqual(['btcusdt@trade']);
    await ask('SUBSCRIBE', 'ethusdt@trade');
    expect((await ask('LIST_SUBSCRIPTIONS')).result).toEqual(['btcusdt@trade', 'ethusdt@trade']);
    expect([socket.readyState, closed.mock.calls.length]).toEqual([socket.OPEN, 0]);
  });

  test('dropped and closed sockets are counted, on one path or on all', async () => {
    const { sandbox, closed } = await connected();
    const other = await openSocket(sandbox);
    expect(sandbox.faults.sockets.close(1012, '/nowhere')).toBe(0);
    expect(sandbox.faults.sockets.close(1012, '/stream')).toBe(2);
    await vi.waitUntil(() => closed.mock.calls.length + other.closed.mock.calls.length === 2, patient);
    expect([closed.mock.calls[0][0], other.closed.mock.calls[0][0]]).toEqual([1012, 1012]);
    const last = await openSocket(sandbox);
    expect(sandbox.faults.sockets.drop()).toBe(1);
    await vi.waitUntil(() => last.closed.mock.calls.length === 1, patient);
    expect(last.closed.mock.calls[0][0]).toBe(1006);
  });
});

describe('the process', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));

  test('prints its port when it is ready and ends when its parent is gone', async () => {
    const child = spawn(process.execPath, [main, '--port', '0', '--seed', '7'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { port } = JSON.parse(line) as { port: number };
    expect((await fetch(`http://127.0.0.1:${port}/api/v3/ping`)).status).toBe(200);
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('ends on SIGTERM', async () => {
    const child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(createInterface(child.stdout), 'line');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('says what is wrong with an option and does not start', async () => {
    const child = spawn(process.execPath, [main, '--seed', 'seven'], { stdio: ['pipe', 'pipe', 'pipe'] });
    const [text] = (await once(child.stderr, 'data')) as [Buffer];
    expect(text.toString('utf8')).toContain('--seed must be a number');
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
});
