import type { Readable, Writable } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { Client, Connection, Submittable } from 'pg';

/** What the driver calls on a query of ours while COPY runs; its types name only `submit`. */
interface CopyQuery extends Submittable {
  handleError(error: Error): void;
  handleCommandComplete(message: { text: string }): void;
  handleReadyForQuery(): void;
  handleCopyData(message: { chunk: Buffer }, connection: Connection): void;
  handleCopyInResponse(connection: CopyConnection): void;
}

interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/** Runs `COPY ... TO STDOUT` and gives what the server sends; the server waits while nobody reads. */
export function copyOut(client: Client, text: string): Readable {
  const out = new PassThrough({ highWaterMark: 1_000_000 });
  client.query({
    submit: (connection) => connection.query(text),
    handleError: (error) => out.destroy(error),
    handleCommandComplete() {},
    handleReadyForQuery: () => void out.end(),
    handleCopyData({ chunk }, { stream }) {
      if (out.destroyed) return;
      // The driver uses the memory of a message again.
      if (out.write(Buffer.from(chunk)) || stream.isPaused()) return;
      stream.pause();
      void drained(out).then(() => stream.resume());
    },
    handleCopyInResponse: refuseCopyIn,
  } satisfies CopyQuery);
  return out;
}

/**
 * Runs `COPY ... FROM STDIN` with these chunks; gives the number of rows.
 *
 * Fails: with the server's or the chunks' error; the transaction is broken then
 */
export async function copyIn(client: Client, text: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0;
    let failure: unknown = null;
    const send = async (connection: CopyConnection): Promise<void> => {
      try {
        for await (const chunk of chunks) {
          if (failure !== null) return; // the server takes no more
          connection.sendCopyFromChunk(chunk);
          if (connection.stream.writableNeedDrain) await drained(connection.stream);
        }
        connection.endCopyFrom();
      } catch (error) {
        failure ??= error;
        connection.sendCopyFail('the source of the rows failed');
      }
    };
    client.query({
      submit: (connection) => connection.query(text),
      handleError(error) {
        failure ??= error;
        reject(failure as Error);
      },
      handleCommandComplete: ({ text: tag }) => void (rows = Number(tag.split(' ')[1])),
      handleReadyForQuery: () => resolve(rows), // after an error: it has been rejected
      handleCopyData() {},
      handleCopyInResponse: (connection) => void send(connection),
    } satisfies CopyQuery);
  });
}

/** Settles when the stream takes more, or has ended. */
async function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}

function refuseCopyIn(connection: CopyConnection): void {
  connection.sendCopyFail('nothing to send');
}
