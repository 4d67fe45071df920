import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/test-server.ts';
import { readConfig } from '../config.ts';
import { checkPort, checkProxy } from './address-checks.ts';

describe('the port', () => {
  const other = createServer((_, answer) => answer.end('{"status":"ok"}'));
  afterAll(() => void other.close());

  test('is free, or another program has it', async () => {
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    expect(await checkPort({ host: '127.0.0.1', port })).toMatchObject({
      state: 'broken',
      found: `Another program listens on 127.0.0.1:${port}.`,
    });
    await new Promise((resolve) => other.close(resolve));
    expect(await checkPort({ host: '127.0.0.1', port })).toMatchObject({ state: 'ok' });
  });

  test.each([[{}], [{ address: { publicUrl: new URL('https://bots.example.com'), isLoopback: true } }]])(
    'is taken by Flotilla itself: that is as it should be, %#',
    async (over) => {
      const server = await startTestServer(over);
      await server.app.listen({ host: '127.0.0.1', port: 0 });
      const { port } = server.app.server.address() as AddressInfo;
      await expect
        .poll(() => checkPort({ host: '127.0.0.1', port }))
        .toMatchObject({ state: 'ok', found: `Flotilla serves on 127.0.0.1:${port}.` });
    },
  );

  test('an address of another machine cannot be listened on', async () => {
    expect(await checkPort({ host: '192.0.2.1', port: 4123 })).toMatchObject({
      state: 'broken',
      toDo: expect.stringContaining('Set HOST to an address of this machine.'),
    });
  });
});

test.each<[string, Record<string, string>, string]>([
  ['this machine alone', {}, 'ok'],
  ['a proxy on this machine', { PUBLIC_URL: 'https://bots.example.com', TRUSTED_PROXIES: '127.0.0.1' }, 'ok'],
  ['a proxy on another machine', { HOST: '0.0.0.0', PUBLIC_URL: 'https://bots.example.com', TRUSTED_PROXIES: '10.0.0.2' }, 'ok'],
  ['open without TLS', { HOST: '0.0.0.0' }, 'broken'],
  ['open with a PUBLIC_URL in the clear', { HOST: '0.0.0.0', PUBLIC_URL: 'http://bots.example.com' }, 'broken'],
  ['another machine’s proxy that is not trusted', { HOST: '0.0.0.0', PUBLIC_URL: 'https://bots.example.com' }, 'broken'],
  ['everybody from one address', { PUBLIC_URL: 'https://bots.example.com' }, 'warning'],
])('reverse proxy: %s', (_, env, state) => {
  const finding = checkProxy(readConfig({ ...env, FLOTILLA_HOME: '/tmp' }, '/'));
  expect(finding.state).toBe(state);
  expect(finding.toDo === null).toBe(state === 'ok');
});
