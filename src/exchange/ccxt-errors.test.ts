import * as ccxt from 'ccxt';
import { describe, expect, test } from 'vitest';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { toExchangeError } from './ccxt-errors.ts';

const kind = (error: unknown, changes: boolean) => toExchangeError(error, { exchangeId: 'binance', action: 'an order', changes }).kind;

describe('the kind of a failure', () => {
  test.each([
    ['a wrong key', new ccxt.AuthenticationError('no'), 'unauthorised', 'unauthorised'],
    ['a missing right', new ccxt.PermissionDenied('no'), 'unauthorised', 'unauthorised'],
    ['too many requests', new ccxt.DDoSProtection('429'), 'temporary', 'temporary'],
    ['a limit on requests', new ccxt.RateLimitExceeded('-1003'), 'temporary', 'temporary'],
    ['a cancel that is not yet done', new ccxt.CancelPending('wait'), 'unknown', 'unknown'],
    ['a wrong clock', new ccxt.InvalidNonce('-1021'), 'temporary', 'temporary'],
    ['no answer', new ccxt.RequestTimeout('late'), 'temporary', 'unknown'],
    ['a reset connection', new ccxt.NetworkError('reset'), 'temporary', 'unknown'],
    ['a broken answer', new ccxt.BadResponse('{'), 'temporary', 'unknown'],
    ['an exchange that is away', new ccxt.ExchangeNotAvailable('502'), 'temporary', 'unknown'],
    ['an exchange too busy to begin', new ccxt.OperationFailed('binance {"code":-1008,"msg":"busy"}'), 'temporary', 'temporary'],
    ['a client id in use', new ccxt.DuplicateOrderId('Duplicate order sent.'), 'unknown', 'unknown'],
    ['too little money', new ccxt.InsufficientFunds('no'), 'rejected', 'rejected'],
    ['a wrong order', new ccxt.InvalidOrder('no'), 'rejected', 'rejected'],
    ['a wrong symbol', new ccxt.BadSymbol('no'), 'rejected', 'rejected'],
    ['an error that is not of ccxt', new TypeError('x is undefined'), 'temporary', 'unknown'],
  ])('%s', (_name, error, reading, changing) => {
    expect(kind(error, false)).toBe(reading);
    expect(kind(error, true)).toBe(changing);
  });

  test('an error of ours stays what it is', () => {
    const error = new ExchangeError('rejected', 'no');
    expect(toExchangeError(error, { exchangeId: 'binance', action: 'a book', changes: false })).toBe(error);
  });
});
