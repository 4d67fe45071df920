import type { FromWorker, ToWorker } from './messages.ts';
import { Replayer } from './replayer.ts';

// Replays rules beside the page, so that typing never waits for them. It is given candles and asks nobody for anything.

/** What of a worker's own scope is used. */
interface WorkerScope {
  addEventListener(type: 'message', listener: (event: MessageEvent<ToWorker>) => void): void;
  postMessage(message: FromWorker, transfer: ArrayBuffer[]): void;
}

const scope = globalThis as unknown as WorkerScope;

/** The next turn of the event loop: a message to oneself comes after those that have arrived. */
const turns = new MessageChannel();
const waiting: (() => void)[] = [];
turns.port1.addEventListener('message', () => waiting.shift()?.());
turns.port1.start();
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    turns.port2.postMessage(null);
  });

const replayer = new Replayer({
  post: (message, transfer = []) => scope.postMessage(message, transfer),
  nextTurn,
  now: () => performance.now(),
});
scope.addEventListener('message', ({ data }) => replayer.take(data));
