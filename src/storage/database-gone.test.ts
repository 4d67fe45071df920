import { expect, test } from 'vitest';
import { isConnectionLost, isDatabaseGone } from './database-gone.ts';

const withCode = (code: string): Error => Object.assign(new Error('failed'), { code });
const withCall = (syscall: string): Error => Object.assign(new Error('failed'), { syscall, code: 'ECONNRESET' });

test('a server that does not answer, ends the connection or is not there is a lost connection', () => {
  const lost = [
    ...['08006', '57P01', '57P02', '57P03', '57P05', '25P03', '25006'].map(withCode),
    ...['connect', 'read', 'write', 'getaddrinfo'].map(withCall),
    new AggregateError([withCall('connect'), withCall('connect')]),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    new Error('Client has encountered a connection error and is not queryable'),
  ];
  for (const error of lost) expect([isConnectionLost(error), isDatabaseGone(error)], error.message).toEqual([true, true]);
});

test('what it refuses to do for now is none, but the same may go well later', () => {
  const refused = [
    ...['53100', '53200', '53300', '57014', '57P04', '08P01'].map(withCode),
    new Error('timeout exceeded when trying to connect'),
  ];
  for (const error of refused) expect([isConnectionLost(error), isDatabaseGone(error)], error.message).toEqual([false, true]);
});

test('what is wrong with the statement is neither', () => {
  for (const error of [
    withCode('23514'),
    withCode('55P03'),
    withCode('25P04'),
    withCall('open'),
    new Error('no'),
    'Connection terminated',
    null,
  ])
    expect([isConnectionLost(error), isDatabaseGone(error)]).toEqual([false, false]);
});
