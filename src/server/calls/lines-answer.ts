import type { Route } from '#contract/route.ts';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, createGzip } from 'node:zlib';
import { z } from 'zod';
import type { Caller } from './caller.ts';

/** How often an answer that comes line by line has a line, and how many. */
export interface LinePace {
  everyMs: number;
  lines: number;
}

/** An answer that comes line by line: how its next line is made, for who the caller is by then. */
export class LinesAnswer<Line = unknown> {
  readonly nextLine: (caller: Caller, now: Date) => Promise<Line>;

  constructor(nextLine: (caller: Caller, now: Date) => Promise<Line>) {
    this.nextLine = nextLine;
  }
}

/** See `streamOfLines`. */
interface Held {
  route: Route;
  pace: LinePace;
  /** Who calls now, counted as a call; null when the session is over. Fails like a call that is one too many. */
  again: () => Promise<{ caller: Caller; now: Date } | null>;
  /** Ends the answer: the caller has hung up, or the server is closing. */
  signal: AbortSignal;
  /** What broke a line that was under way. */
  onError: (error: unknown) => void;
}

/**
 * The lines of an answer as they become due, the first one at once. Whoever may not call any more gets no further line: the answer ends, and
 * calling again says why. The first line is made before anything is sent, so that its failure is an answer like any other.
 */
export async function streamOfLines(answer: LinesAnswer, held: Held): Promise<Readable> {
  const first = await textOfNext(answer, held);
  return Readable.from(linesFrom(first, answer, held), { objectMode: false });
}

async function* linesFrom(first: string | null, answer: LinesAnswer, held: Held): AsyncGenerator<string> {
  const { pace, signal, onError } = held;
  try {
    for (let text = first, sent = 1; text !== null; text = await textOfNext(answer, held), sent += 1) {
      yield text;
      if (sent === pace.lines || signal.aborted) return;
      await sleep(pace.everyMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) onError(error);
  }
}

async function textOfNext(answer: LinesAnswer, { route, again }: Held): Promise<string | null> {
  const asking = await again();
  if (asking === null) return null;
  const line = z.encode(route.reply, await answer.nextLine(asking.caller, asking.now));
  return `${JSON.stringify(line)}\n`;
}

/** The lines compressed as one text, each sent as soon as it is there: one is much like the one before, so little of it travels. */
export function compressedLines(lines: Readable): Readable {
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH, level: 6, windowBits: 14, memLevel: 7 });
  lines.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => lines.destroy());
  return lines.pipe(gzip);
}
