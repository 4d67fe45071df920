import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '#engine/ports/error-text.ts';
import type { SupervisedProcess } from './child-process.ts';
import { RestartPauses } from './restart-pauses.ts';

/** A process that is started when the first client connects to its port on loopback. */
export interface OnDemand {
  /** Starts it now; settles when it is ready. */
  start(): Promise<void>;
  /** Ends it, and the waiting for connections. */
  stop(): Promise<void>;
}

/**
 * Waits for the first connection to a port, then leaves the port to the process that `startProcess` starts there. A
 * client that came while it started is connected to it once it is ready. One that ends before it is ready is said, and
 * started again when the next client comes.
 *
 * Fails: when the port is taken
 */
export async function startOnDemand(port: number, startProcess: () => SupervisedProcess, say: (line: string) => void): Promise<OnDemand> {
  let child: SupervisedProcess | null = null;
  let started: Promise<void> | null = null;
  let isStopped = false;
  const pauses = new RestartPauses();
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
  const listen = async (): Promise<void> => {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
  };
  await listen();

  /** Another program may have the port for a while: then it is tried again. */
  const listenAgain = async (): Promise<void> => {
    for (let isListening = false; !isListening;) {
      await sleep(pauses.next(0), undefined, { ref: false });
      if (isStopped) return;
      isListening = await listen().then(
        () => true,
        () => false,
      );
    }
    started = null;
    if (isStopped) listener.close();
  };
  const start = (): Promise<void> => {
    started ??= (async () => {
      listener.close(); // no more are accepted here; the port is free at once
      child = startProcess();
      try {
        await child.ready;
      } catch (error) {
        if (!isStopped) {
          say(`${errorText(error)} It is started again when somebody needs it.`);
          void listenAgain();
        }
        throw error;
      }
    })();
    return started;
  };
  return {
    start,
    async stop() {
      isStopped = true;
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
