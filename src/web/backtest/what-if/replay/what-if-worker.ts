import type { Answer, ToWorker } from './messages.ts';
import { Replayer } from './replayer.ts';

// Replays beside the page. It is given candles, loads the strategy as a module of this server, and can reach nothing else: the policy of
// its file allows scripts from here and no connection.

/** What of a worker's own scope is used. */
interface WorkerScope {
  addEventListener(type: 'message', listener: (event: MessageEvent<ToWorker>) => void): void;
  postMessage(message: Answer): void;
}

const scope = globalThis as unknown as WorkerScope;

const replayer = new Replayer({
  post: (answer) => scope.postMessage(answer),
  load: (address) => import(/* @vite-ignore */ address) as Promise<Readonly<Record<string, unknown>>>,
  now: () => performance.now(),
});
scope.addEventListener('message', ({ data }) => void replayer.take(data));
