import {
  AuthenticationError,
  BaseError,
  CancelPending,
  DDoSProtection,
  DuplicateOrderId,
  ExchangeError as CcxtExchangeError,
  InvalidNonce,
  OperationFailed,
  RateLimitExceeded,
} from 'ccxt';
import { errorText } from '#engine/ports/error-text.ts';
import { ExchangeError, type ExchangeErrorKind } from '#engine/ports/exchange-error.ts';

/** What was tried when it failed. */
export interface Attempt {
  exchangeId: string; // as the product names it, e.g. 'sandbox'
  action: string; // 'candles of BTC/USDT 5m': completes the sentence "binance did not answer ..."
  changes: boolean; // whether the request changes something at the exchange (an order); reading never leaves doubt
  retryAfterMs?: number | null; // what the exchange asked to wait
}

/** Any error out of ccxt or below it as an error of the product. This is the only place where the kind is decided. */
export function toExchangeError(error: unknown, attempt: Attempt): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const text = errorText(error);
  const message = `${attempt.exchangeId} failed to give ${attempt.action}: ${shorten(text)}`;
  return new ExchangeError(kindOf(error, text, attempt.changes), message, { cause: error, retryAfterMs: attempt.retryAfterMs ?? null });
}

/**
 * The kind of a failure. The order matters: ccxt files limits and clock errors under network errors although the
 * exchange has certainly done nothing, and a duplicate client id under invalid orders although an order is alive.
 */
function kindOf(error: unknown, text: string, changes: boolean): ExchangeErrorKind {
  if (error instanceof AuthenticationError) return 'unauthorised';
  if (error instanceof DDoSProtection || error instanceof RateLimitExceeded || error instanceof InvalidNonce) return 'temporary';
  if (error instanceof DuplicateOrderId || error instanceof CancelPending) return 'unknown';
  if (error instanceof OperationFailed) return changes && !wasNotExecuted(text) ? 'unknown' : 'temporary';
  if (error instanceof CcxtExchangeError) return 'rejected';
  // Neither ccxt's nor ours: a broken answer or a fault below. Whether it happened is open.
  return changes ? 'unknown' : 'temporary';
}

/** Binance's code for a request it was too busy to begin. */
function wasNotExecuted(text: string): boolean {
  return /"code":\s*-1008\b/.test(text);
}

/** Whether an exchange has refused a question, e.g. for a symbol in it that it does not have. */
export function isRefusal(error: unknown): boolean {
  return kindOf(error, errorText(error), false) === 'rejected';
}

/** Whether an error comes from ccxt's own error tree. */
export function isCcxtError(error: unknown): boolean {
  return error instanceof BaseError;
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
