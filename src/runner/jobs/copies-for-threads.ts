import type { MessagePort } from 'node:worker_threads';
import { errorText } from '#engine/ports/error-text.ts';
import { backtestMemoryMb } from '#strategy-process/python/python-command.ts';
import type { HowEnded, MadeCopy } from '#strategy-process/python/started-process.ts';
import type { WarmParents } from '#strategy-process/python/warm-parents.ts';

/** What a thread asks for: a copy of the warm parent of a Python, which loads these modules first. News of it comes through the port. */
export interface WantedCopy {
  program: string;
  imports: readonly string[];
  port: MessagePort;
}

/** What it receives. */
export type NewsOfCopy = { made: MadeCopy } | { fault: string } | { ended: HowEnded };

/** A copy that a thread has. */
export interface CopyForThread {
  kill: () => void; // if it has not ended by then
  cutShort: () => void; // the same once its thread is connected with it: one that still waits for that could not be ended any more
}

/** Makes a copy for a thread, which says when it is connected with it. */
export function makeCopyFor(parents: Pick<WarmParents, 'of'>, { program, imports, port }: WantedCopy): CopyForThread {
  const say = (news: NewsOfCopy): void => port.postMessage(news);
  try {
    const copy = parents.of(program).waited(imports, backtestMemoryMb);
    copy.made.then(
      (made) => say({ made }),
      (error: unknown) => say({ fault: errorText(error) }),
    );
    void copy.ended.then((ended) => say({ ended }));
    let isConnected = false;
    port.once('message', () => (isConnected = true));
    port.unref();
    return { kill: () => copy.kill(), cutShort: () => void (isConnected && copy.kill()) };
  } catch (error) {
    say({ fault: errorText(error) });
    return { kill: () => undefined, cutShort: () => undefined };
  }
}
