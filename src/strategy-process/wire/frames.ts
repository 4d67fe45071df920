/**
 * A message between the product and a strategy process: JSON, and columns of numbers behind it.
 *
 * Shape on the wire: length of the JSON and of the body in bytes (two uint32, little-endian), the JSON as UTF-8, the body
 */
export interface Frame {
  json: unknown;
  body: Uint8Array;
}

const headerBytes = 8;
const noBody = new Uint8Array(0);

/** The bytes of a message. */
export function encodeFrame(json: unknown, body: Uint8Array = noBody): Uint8Array {
  const text = Buffer.from(JSON.stringify(json));
  const bytes = Buffer.allocUnsafe(headerBytes + text.length + body.length);
  bytes.writeUInt32LE(text.length, 0);
  bytes.writeUInt32LE(body.length, 4);
  text.copy(bytes, headerBytes);
  bytes.set(body, headerBytes + text.length);
  return bytes;
}

/** What of a message is too much: whoever sends it is not listened to any more. */
export interface FrameLimits {
  json: number; // bytes
  body: number;
}

/** Makes messages of what comes in pieces. */
export class FrameReader {
  readonly #limits: FrameLimits;
  #parts: Uint8Array[] = [];
  #length = 0;
  #wanted = headerBytes;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** The messages that a piece completes, oldest first. Fails: RangeError for one that is too large, SyntaxError for one that is not JSON */
  take(piece: Uint8Array): Frame[] {
    this.#parts.push(piece);
    this.#length += piece.length;
    const frames: Frame[] = [];
    while (this.#length >= this.#wanted) {
      const bytes = Buffer.concat(this.#parts);
      const [json, body] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
      if (json > this.#limits.json || body > this.#limits.body) throw new RangeError(`A message of ${json + body} bytes is too large.`);
      const end = headerBytes + json + body;
      this.#keep(bytes, end);
      if (bytes.length < end) break;
      frames.push({
        json: JSON.parse(bytes.toString('utf8', headerBytes, headerBytes + json)) as unknown,
        body: bytes.subarray(headerBytes + json, end),
      });
      this.#keep(bytes.subarray(end), headerBytes);
    }
    return frames;
  }

  #keep(bytes: Uint8Array, wanted: number): void {
    this.#parts = bytes.length === 0 ? [] : [bytes];
    this.#length = bytes.length;
    this.#wanted = wanted;
  }
}
