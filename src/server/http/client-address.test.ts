import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { clientAddress } from './client-address.ts';

const from = (ip: string | undefined, remoteAddress?: string) =>
  clientAddress({ ip, socket: { remoteAddress } } as unknown as Pick<FastifyRequest, 'ip' | 'socket'>);

test('a port that a proxy adds does not count, and what is not an address is not taken', () => {
  expect(from('203.0.113.7', '10.0.0.1')).toBe('203.0.113.7');
  expect(from('203.0.113.7:4711', '10.0.0.1')).toBe('203.0.113.7');
  expect(from('[2001:db8::1]:4711', '10.0.0.1')).toBe('2001:db8::1');
  expect(from('unknown', '10.0.0.1')).toBe('10.0.0.1');
});

test('a caller who has hung up has no address, and that is not a failure', () => {
  expect(from(undefined)).toBe('');
});
