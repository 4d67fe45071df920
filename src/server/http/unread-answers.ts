import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * A caller who takes nothing of an answer for so long, in ms, is cut off: the answer takes memory until it has been sent.
 *
 * Progress is not reported byte by byte. To a program of the same machine, such as a proxy or a tunnel, the kernel passes up to 1.4 MB on before
 * it reports any of it: a person who reads 20 kB a second through one seems to stand still for 72 seconds, one of 6 kB for four minutes.
 */
export const unreadPatienceMs = 240_000;

/** So often within that time each answer is checked. Between the last byte taken and the end lie one check more at most: five minutes in all. */
const checksWithoutProgress = 4;

/**
 * Cuts off callers who do not read: of each answer that has been handed over it is checked, four times within `patienceMs`, whether the caller has
 * taken anything since the last check. Whoever has taken nothing at four checks in a row is cut off. Slow callers are waited for, and so is what
 * takes long to make or comes line by line: nothing of it waits to be taken.
 *
 * Node's own timeout of a socket would not do: it begins again with every byte that the caller sends.
 */
export function cutOffUnread(app: FastifyInstance, patienceMs: number): void {
  const watched = new WeakSet<ServerResponse>();
  app.addHook('onSend', async (request, reply) => {
    if (watched.has(reply.raw)) return; // an answer that failed, and is another one now
    watched.add(reply.raw);
    const { socket } = request.raw;
    if (!(socket instanceof Socket)) return; // a call without a connection, as tests make it
    let taken = takenBy(socket);
    let checks = 0; // in a row without progress
    const watch = setInterval(() => {
      if (socket.destroyed) return clearInterval(watch);
      const now = takenBy(socket);
      // An answer without the socket waits behind another of this connection, whose caller has sent a call before it had the answer to the last.
      const isStuck = reply.raw.socket === null || now === taken;
      checks = reply.raw.writableLength > 0 && isStuck ? checks + 1 : 0;
      if (checks === checksWithoutProgress) socket.destroy();
      taken = now;
    }, patienceMs / checksWithoutProgress).unref();
    reply.raw.once('close', () => clearInterval(watch)); // also when it has been sent
  });
}

/** Calls `done` once an answer has been sent, or will not be because the caller has gone. */
export function onceSent(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { socket } = request.raw;
  if (socket.destroyed) return done();
  const end = (): void => {
    socket.off('close', end);
    done();
  };
  reply.raw.once('finish', end);
  socket.once('close', end); // of the connection: an answer that waits behind another does not notice
}

/** How many bytes of what was written to a socket the caller's side has taken. Of a large piece under way only the handle knows how much of it. */
function takenBy(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: { writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}
