import type { CallReply } from '#contract/client.ts';
import { routes } from '#contract/routes.ts';
import { z } from 'zod';
import type { WrittenDetails } from './kept-details.ts';

const noDetails = '"details":null';

/**
 * The answer to a call whose details have been checked and written already: they are put where `answer` has null, and go out as they are, as the
 * caller takes them. `free` is called when all has been taken, or when the caller has gone; and before this fails.
 *
 * Fails: Error when the rest of the answer is not what the contract says
 */
export function writtenAnswer<Name extends 'portfolio' | 'backtestResults'>(
  name: Name,
  answer: CallReply<Name>,
  details: WrittenDetails,
  free: () => void,
): CallReply<Name> {
  const left = piecesOf(name, answer, details, free).toReversed();
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = left.pop();
        if (piece !== undefined) return controller.enqueue(piece);
        controller.close();
        free();
      },
      cancel: free,
    },
    { highWaterMark: 0 }, // nothing is taken before somebody takes it
  );
  // The framework sends such a response as it is, whatever the type of the call's answer. Where the headers alone are asked for it cancels the
  // body, which it takes the response itself for.
  const response = new Response(body, { headers: { 'content-type': 'application/json; charset=utf-8' } });
  const asBody = { getReader: () => body.getReader(), cancel: async (why: unknown) => body.cancel(why) };
  return Object.assign(response, asBody) as unknown as CallReply<Name>;
}

function piecesOf(name: keyof typeof routes, answer: unknown, details: WrittenDetails, free: () => void): Buffer[] {
  try {
    const [before, after, ...others] = JSON.stringify(z.encode(routes[name].reply as z.ZodType, answer)).split(noDetails);
    if (before === undefined || after === undefined || others.length > 0) throw new Error('The answer has not one place for details');
    return [Buffer.from(`${before}"details":`), ...details, Buffer.from(after)];
  } catch (error) {
    free();
    throw error;
  }
}
