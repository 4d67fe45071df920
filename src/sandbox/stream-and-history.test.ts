import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { describe, expect, test } from 'vitest';
import { startSandbox } from './sandbox.ts';

interface KlineFrame {
  k: { t: number; o: string; h: string; l: string; c: string; v: string; x: boolean };
}

describe('the stream', () => {
  test('sends at 60 times the speed exactly the candles that history returns later, each closed once, oldest first', async () => {
    const sandbox = await startSandbox({ factor: 60, startTime: Date.UTC(2026, 2, 3, 10, 0, 30) });
    const socket = new WebSocket(`ws://127.0.0.1:${sandbox.port}/stream/ws/0`);
    await once(socket, 'open');
    const closed: KlineFrame['k'][] = [];
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString('utf8')) as Partial<KlineFrame>;
      if (frame.k?.x === true) closed.push(frame.k);
    });
    socket.send(JSON.stringify({ method: 'SUBSCRIBE', params: ['btcusdt@kline_1m'], id: 1 }));
    await expect.poll(() => closed.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(8);
    socket.close();
    const answer = await fetch(`${sandbox.url}/api/v3/klines?symbol=BTCUSDT&interval=1m&startTime=${closed[0].t}&limit=${closed.length}`);
    const rows = (await answer.json()) as [number, string, string, string, string, string][];
    expect(closed.map(({ t, o, h, l, c, v }) => [t, o, h, l, c, v])).toEqual(rows.slice(0, closed.length).map((row) => row.slice(0, 6)));
    await sandbox.close();
  });

  test('a book asked for in the moment of subscribing is the one its changes start from', async () => {
    const sandbox = await startSandbox();
    const socket = new WebSocket(`ws://127.0.0.1:${sandbox.port}/stream/ws/0`);
    await once(socket, 'open');
    const frames: { U: number; u: number }[] = [];
    const subscribed = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString('utf8')) as { id?: number; U: number; u: number };
        if (frame.id === undefined) frames.push(frame);
        else resolve();
      });
    });
    socket.send(JSON.stringify({ method: 'SUBSCRIBE', params: ['btcusdt@depth@100ms'], id: 1 }));
    await subscribed;
    const answer = await fetch(`${sandbox.url}/api/v3/depth?symbol=BTCUSDT`);
    const { lastUpdateId } = (await answer.json()) as { lastUpdateId: number };
    await expect.poll(() => frames.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(4);
    socket.close();
    const next = frames.filter(({ u }) => u > lastUpdateId);
    expect(next[0].U).toBeLessThanOrEqual(lastUpdateId + 1);
    for (let i = 1; i < frames.length; i++) expect(frames[i].U).toBe(frames[i - 1].u + 1);
    await sandbox.close();
  });

  test('costs nothing without a subscription', async () => {
    const sandbox = await startSandbox();
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(150_000);
    await sandbox.close();
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
