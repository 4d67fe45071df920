import { FileAnswer } from './file-answer.ts';

/** A file so large that its memory matters until it has been sent: then, or when the caller has gone, `free` is called. */
export class HeldFile extends FileAnswer {
  readonly free: () => void;

  constructor(name: string, bytes: Buffer, free: () => void) {
    super(name, bytes);
    this.free = free;
  }
}
