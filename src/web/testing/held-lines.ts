import type { CallReply } from '#contract/client.ts';
import { followRoutes } from '#contract/follow.ts';

/** An answer that comes line by line, as the test says. */
export class HeldLines {
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  /** Sends a line. */
  send(line: CallReply<'followStatus'>): void {
    followRoutes.followStatus.reply.parse(line);
    this.#controller?.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
  }

  /** Breaks it off, as a network does. */
  breakOff(): void {
    this.#controller?.error(new TypeError('network error'));
    this.#controller = null;
  }

  /** Whether somebody reads it. */
  get isRead(): boolean {
    return this.#controller !== null;
  }

  /** The answer as a browser gets it. */
  response(signal: AbortSignal | null | undefined): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        signal?.addEventListener('abort', () => {
          if (this.#controller === controller) this.#controller = null;
          controller.error(signal.reason);
        });
      },
    });
    return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
  }
}
