import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';

/** The description of a table takes a few hundred bytes. */
const longestDescription = 1_000_000;

/**
 * The frames of a backup, unpacked as they are read: a few hundred bytes may unpack to gigabytes, and none of the methods holds more
 * than a piece of them.
 *
 * Fails: each with one sentence when the bytes are not what `writeBackupFile` writes
 */
export class BackupFrames {
  private readonly name: string;
  private readonly pieces: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  /** Reads the frames that lie between two positions of a file. */
  constructor(file: string, start: number, end: number) {
    this.name = basename(file);
    this.pieces = unpack(file, start, end);
  }

  /** The next frame, a description. */
  async description(): Promise<unknown> {
    const length = await this.length();
    if (length > longestDescription) throw this.notOurs();
    const parts: Buffer[] = [];
    for await (const part of this.bytes(length)) parts.push(part);
    try {
      return JSON.parse(Buffer.concat(parts).toString());
    } catch (cause) {
      throw this.notOurs(cause);
    }
  }

  /** What the next frames hold, up to an empty one, in pieces of any size. */
  async *rows(): AsyncGenerator<Buffer> {
    for (let length = await this.length(); length > 0; length = await this.length()) yield* this.bytes(length);
  }

  private async length(): Promise<number> {
    const parts: Buffer[] = [];
    for await (const part of this.bytes(4)) parts.push(part);
    return Buffer.concat(parts).readUInt32LE();
  }

  private async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0;) {
      if (this.rest.length === 0) this.rest = await this.nextPiece();
      const part = this.rest.subarray(0, missing);
      this.rest = this.rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  private async nextPiece(): Promise<Buffer> {
    const next = await this.pieces.next().catch((cause: unknown) => {
      throw this.notOurs(cause);
    });
    if (next.done === true) throw this.notOurs('it ends before its last table');
    return next.value;
  }

  private notOurs(cause?: unknown): Error {
    return new Error(
      `The backup ${this.name} has a right checksum, but its contents cannot be read. Nothing was restored; use another one.`,
      {
        cause,
      },
    );
  }
}

async function* unpack(file: string, start: number, end: number): AsyncGenerator<Buffer> {
  const unpacked = createZstdDecompress();
  const done = pipeline(createReadStream(file, { start, end: end - 1 }), unpacked);
  done.catch(() => {}); // the loop below meets the same error
  yield* unpacked as AsyncIterable<Buffer>;
  await done;
}
