import { describe, expect, test } from 'vitest';
import type { Resolve } from './public-lookup.ts';
import { NotPublic, publicLookup } from './public-lookup.ts';

const v4 = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }));
const ask = (resolve: Resolve, all: boolean) =>
  new Promise<unknown>((done) => {
    publicLookup(resolve)('hooks.slack.com', { all }, (error, address, family) => done(error ?? (all ? address : { address, family })));
  });

describe('a name is refused when it leads', () => {
  test.each([
    ['to this machine', v4('127.0.0.1')],
    ['to a private network', v4('10.1.2.3')],
    ['to the metadata of a cloud', v4('169.254.169.254')],
    ['to a public and a private address', v4('52.1.2.3', '192.168.0.10')],
    ['to a private and a public address', v4('192.168.0.10', '52.1.2.3')],
    ['to IPv6 of the own network', [{ address: 'fd00::1', family: 6 }]],
    ['to IPv4 hidden in IPv6', [{ address: '::ffff:10.0.0.1', family: 6 }]],
    ['nowhere', []],
    ['to something that is not an address', v4('evil.example')],
  ])('%s', async (_, addresses) => {
    for (const all of [true, false]) expect(await ask(async () => addresses, all)).toBeInstanceOf(NotPublic);
  });

  test('or when it cannot be resolved', async () => {
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    expect(await ask(() => Promise.reject(missing), true)).toBe(missing);
  });
});

test('a connection gets the very addresses that were checked, so a name that changes its mind gains nothing', async () => {
  const addresses = v4('52.1.2.3', '52.1.2.4');
  let asked = 0;
  const resolve: Resolve = async () => {
    asked += 1;
    return asked === 1 ? addresses : v4('127.0.0.1');
  };
  const given = ask(resolve, true);
  expect(await given).toEqual(addresses);
  expect(asked).toBe(1);
  addresses[0] = { address: '127.0.0.1', family: 4 };
  expect(await given).toEqual(v4('52.1.2.3', '52.1.2.4'));
  expect(await ask(async () => v4('52.1.2.3'), false)).toEqual({ address: '52.1.2.3', family: 4 });
});

test('without a resolver of its own it asks the system: localhost is refused', async () => {
  const answer = await new Promise<unknown>((done) => {
    publicLookup()('localhost', { all: true }, (error) => done(error));
  });
  expect(answer).toBeInstanceOf(NotPublic);
});
