import { StrategyError } from '../strategy-error.ts';
import { removeCodeOfText } from './no-code-of-text.ts';

/** What a program has that a strategy has no use for: the outside, other threads, time that passes. */
const removed = [
  'process',
  'fetch',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
  'BroadcastChannel',
  'MessageChannel',
  'MessagePort',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'performance',
  'navigator',
  'crypto',
  'localStorage',
  'sessionStorage',
];

let isRemoved = false;

/**
 * Takes from this process, or this thread, what a strategy must not use: its signals come of candles and parameters alone. The program's own
 * modules have taken what they need before.
 */
export function removeOutside(): void {
  if (isRemoved) return;
  isRemoved = true;
  removeCodeOfText();
  clearMemory();
  for (const name of removed) Reflect.deleteProperty(globalThis, name);
  const quiet = (): void => undefined;
  // What it prints would be read by nobody, and a gigabyte of it by nobody either.
  globalThis.console = new Proxy(console, { get: () => quiet });
  Math.random = () => {
    throw new StrategyError('a strategy must not use chance (Math.random)');
  };
  const noClock = (): never => {
    throw new StrategyError('a strategy must not read the clock; the time is that of the candles');
  };
  globalThis.Date = new Proxy(Date, {
    construct: (target, values, type) => (values.length === 0 ? noClock() : (Reflect.construct(target, values, type) as object)),
    apply: noClock,
    get: (target, name, receiver) => (name === 'now' ? noClock : (Reflect.get(target, name, receiver) as unknown)),
  });
}

/** Bytes that are given out are zeros from now on: memory that is not cleared has in it what somebody else has left there. */
function clearMemory(): void {
  const cleared = (size: number): Buffer => Buffer.alloc(size);
  for (const name of ['allocUnsafe', 'allocUnsafeSlow'])
    Object.defineProperty(Buffer, name, { value: cleared, writable: false, configurable: false });
  Object.defineProperty(Buffer, 'poolSize', { value: 0, writable: false, configurable: false }); // small ones have bytes of their own, too
}
