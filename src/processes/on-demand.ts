import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { SupervisedProcess } from './child-process.ts';

/** A process that is started when the first client connects to its port on loopback. */
export interface OnDemand {
  /** Starts it now; settles when it is ready. */
  start(): Promise<void>;
  /** Ends it, and the waiting for connections. */
  stop(): Promise<void>;
}

/**
 * Waits for the first connection to a port, then leaves the port to the process that `startProcess` starts there. A
 * client that came while it started is connected to it once it is ready.
 *
 * Fails: when the port is taken
 */
export async function startOnDemand(port: number, startProcess: () => SupervisedProcess): Promise<OnDemand> {
  let child: SupervisedProcess | null = null;
  let started: Promise<void> | null = null;
  const early = new Set<Socket>();
  const listener = createServer({ pauseOnConnect: true }, (socket) => {
    early.add(socket);
    socket.on('error', () => {}); // its end is the caller's own matter
    socket.once('close', () => early.delete(socket));
    start().then(
      () => handOver(socket, port),
      () => socket.destroy(),
    );
  });
  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');

  const start = (): Promise<void> => {
    started ??= (async () => {
      listener.close(); // no more are accepted here; the port is free at once
      child = startProcess();
      await child.ready;
    })();
    return started;
  };
  return {
    start,
    async stop() {
      listener.close();
      for (const socket of early) socket.destroy();
      await child?.stop();
    },
  };
}

function handOver(socket: Socket, port: number): void {
  if (socket.destroyed) return;
  const process = connect(port, '127.0.0.1');
  process.on('error', () => socket.destroy());
  socket.once('close', () => process.destroy());
  process.once('close', () => socket.destroy());
  socket.pipe(process);
  process.pipe(socket);
  socket.resume();
}
