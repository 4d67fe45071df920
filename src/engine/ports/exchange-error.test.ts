import { expect, test } from 'vitest';
import { errorText } from './error-text.ts';
import { ExchangeError } from './exchange-error.ts';

test('a failure of an exchange has its kind, its cause, and how long to wait', () => {
  const cause = new Error('socket');
  const error = new ExchangeError('temporary', 'no answer', { cause, retryAfterMs: 500 });
  expect(error).toMatchObject({ name: 'ExchangeError', kind: 'temporary', message: 'no answer', cause, retryAfterMs: 500 });
  const bare = new ExchangeError('rejected', 'no');
  expect(bare).toMatchObject({ kind: 'rejected', retryAfterMs: null });
  expect('cause' in bare).toBe(false);
});

test('whatever was thrown has a text', () => {
  expect([errorText(new Error('a')), errorText('b'), errorText(null)]).toEqual(['a', 'b', 'null']);
});
