import { once } from 'node:events';
import { MessageChannel, parentPort } from 'node:worker_threads';
import { pythonTimes } from '#strategy-process/python/python-strategy.ts';
import { connectCopy, type HowEnded, type MadeCopy, type StartedProcess } from '#strategy-process/python/started-process.ts';
import type { BacktestMessage } from './backtest-task.ts';
import type { NewsOfCopy } from './copies-for-threads.ts';

/**
 * A Python that has loaded these modules already, for this thread; null where there is none: then one is started that loads them itself,
 * and says what is wrong with them.
 */
export async function copyFromParent(program: string, imports: readonly string[]): Promise<StartedProcess | null> {
  if (parentPort === null) return null; // this is not a thread
  const { port1, port2 } = new MessageChannel();
  const made = Promise.withResolvers<MadeCopy | null>();
  const ended = Promise.withResolvers<HowEnded>();
  port1.on('message', (news: NewsOfCopy) => {
    if ('made' in news) made.resolve(news.made);
    else if ('fault' in news) made.resolve(null);
    else ended.resolve(news.ended);
  });
  const message: BacktestMessage = { wantedCopy: { program, imports, port: port2 } };
  parentPort.postMessage(message, [port2]);
  const late = AbortSignal.timeout(pythonTimes.loadMs);
  const copy = await Promise.race([made.promise, once(late, 'abort').then(() => null)]);
  try {
    if (copy === null) throw new Error('There is none.');
    const started = await connectCopy(copy, ended.promise);
    port1.postMessage('connected');
    const tidy = (): void => {
      started.tidy();
      port1.close();
    };
    return { ...started, tidy };
  } catch {
    port1.close();
    return null;
  }
}
