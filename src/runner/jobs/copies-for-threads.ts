import type { MessagePort } from 'node:worker_threads';
import { errorText } from '#engine/ports/error-text.ts';
import { backtestMemoryMb } from '#strategy-process/python/python-command.ts';
import type { HowEnded, MadeCopy } from '#strategy-process/python/started-process.ts';
import type { WarmParents } from '#strategy-process/python/warm-parents.ts';

/** What a thread asks for: a copy of the warm parent of a Python, which loads these modules first. It hears of it through the port. */
export interface WantedCopy {
  program: string;
  imports: readonly string[];
  port: MessagePort;
}

/** What it hears. */
export type NewsOfCopy = { made: MadeCopy } | { fault: string } | { ended: HowEnded };

/** Makes a copy for a thread. Returns what ends it, if it has not ended by then */
export function makeCopyFor(parents: Pick<WarmParents, 'of'>, { program, imports, port }: WantedCopy): () => void {
  const say = (news: NewsOfCopy): void => port.postMessage(news);
  try {
    const copy = parents.of(program).waited(imports, backtestMemoryMb);
    copy.made.then(
      (made) => say({ made }),
      (error: unknown) => say({ fault: errorText(error) }),
    );
    void copy.ended.then((ended) => say({ ended }));
    return copy.kill.bind(copy);
  } catch (error) {
    say({ fault: errorText(error) });
    return () => undefined;
  }
}
