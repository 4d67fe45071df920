import { freePort } from '#storage/embedded/free-port.ts';
import { connect, createServer, Server } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SupervisedProcess } from './child-process.ts';
import { supervise } from './child-process.ts';
import { startOnDemand } from './on-demand.ts';

/** A server process that answers with its number: how many were started before it, and how often it was asked. */
function answering(port: number, lines: string[]): () => SupervisedProcess {
  const program = `
    let asked = 0;
    require('node:http').createServer((_, response) => response.end('answer ' + ++asked)).listen(${port}, '127.0.0.1', () => console.log('{}'));`;
  return () =>
    supervise({
      name: 'answers',
      args: ['-e', program],
      environment: {},
      readyFrom: 'first line',
      say: (line) => lines.push(line),
      isStopping: () => false,
    });
}

async function onDemand(start?: (port: number) => () => SupervisedProcess, say: (line: string) => void = () => {}) {
  const port = await freePort();
  let starts = 0;
  const startProcess = (start ?? ((at) => answering(at, [])))(port);
  const demanded = await startOnDemand(
    port,
    () => {
      starts += 1;
      return startProcess();
    },
    say,
  );
  onTestFinished(() => demanded.stop());
  const ask = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text();
  return { port, demanded, ask, starts: () => starts };
}

test('a process is started by its first client, which is answered; later clients reach it directly', async () => {
  const { ask, starts } = await onDemand();
  expect(starts()).toBe(0);
  expect(await ask()).toBe('answer 1');
  expect(await ask()).toBe('answer 2');
  expect(starts()).toBe(1);
});

test('it can be started before any client connects, once', async () => {
  const { demanded, ask, starts } = await onDemand();
  await Promise.all([demanded.start(), demanded.start()]);
  expect(starts()).toBe(1);
  expect(await ask()).toBe('answer 1');
});

test('stopped before any client came, nothing is started and the port is free', async () => {
  const { port, demanded, starts } = await onDemand();
  await demanded.stop();
  const socket = connect(port, '127.0.0.1');
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNREFUSED');
  expect(starts()).toBe(0);
});

test('a client that waits for a process that cannot start is disconnected', async () => {
  const { ask } = await onDemand(
    () => () =>
      supervise({
        name: 'broken',
        args: ['-e', 'process.exit(3)'],
        environment: {},
        readyFrom: 'first line',
        say: () => {},
        isStopping: () => false,
      }),
  );
  await expect(ask()).rejects.toThrow('fetch failed');
});

test('one that could not be started says so, and is started when the next client comes; none is started after a stop', async () => {
  const said: string[] = [];
  let failures = 2;
  const { ask, starts, demanded, port } = await onDemand(
    (at) => () => {
      failures -= 1;
      return failures < 0
        ? answering(at, [])()
        : supervise({
            name: 'sandbox',
            args: ['-e', 'process.exit(3)'],
            environment: {},
            readyFrom: 'first line',
            say: (line) => said.push(line),
            isStopping: () => false,
          });
    },
    (line) => said.push(line),
  );
  await expect(ask()).rejects.toThrow('fetch failed');
  await expect.poll(() => said).toEqual(['The sandbox ended before it was ready (code 3). It is started again when somebody needs it.']);
  await expect.poll(async () => ask().catch(() => 'none')).toBe('answer 1');
  expect(starts()).toBe(3);
  await demanded.stop();
  await expect(ask()).rejects.toThrow('fetch failed');
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  other.close();
  expect(said).toHaveLength(2);
});

test('one whose port another program has taken meanwhile is started when that has gone', async () => {
  const said: string[] = [];
  const other = createServer();
  const { ask } = await onDemand(
    (at) => {
      let tries = 0;
      return () => {
        tries += 1;
        if (tries > 1) return answering(at, [])();
        const taken = once(other.listen(at, '127.0.0.1'), 'listening');
        return { ready: taken.then(() => Promise.reject(new Error('The port is taken.'))), stop: async () => {} };
      };
    },
    (line) => said.push(line),
  );
  await expect(ask()).rejects.toThrow('fetch failed');
  await expect.poll(() => said).toEqual(['The port is taken. It is started again when somebody needs it.']);
  const listen = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listen.mockRestore());
  await expect.poll(() => listen.mock.calls.length).toBeGreaterThan(0); // in vain
  other.close();
  await expect.poll(async () => ask().catch(() => 'none')).toBe('answer 1');
});
