import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import { encodeFrame, FrameReader } from '../wire/frames.ts';
import { OutOfStep } from '../wire/held-candles.ts';
import type { Answer, Question } from '../wire/questions.ts';
import { Answers, faultOf } from './answers.ts';
import { removeOutside } from './no-outside.ts';

// The program of a strategy process: it answers one question after the other, and ends with whoever started it.
const input = new Socket({ fd: 3, readable: true, writable: false });
const output = new Socket({ fd: 4, readable: false, writable: true });
const { performance } = globalThis;
const rss = (): number => process.memoryUsage.rss();
const exit = process.exit.bind(process);
const answers = new Answers({ nowMs: () => performance.now(), memoryMb: () => rss() / 2 ** 20 });
const reader = new FrameReader({ json: 2 ** 28, body: 2 ** 30 });
let work = Promise.resolve();

removeOutside();
input.on('data', (piece: Uint8Array) => {
  for (const { json, body } of reader.take(piece)) work = work.then(() => answer(json as Question, body));
});
input.on('close', () => exit(0));
output.on('error', () => exit(0));
closeSync(0);

async function answer(question: Question, body: Uint8Array): Promise<void> {
  const { id } = question;
  try {
    const found = await answers.to(question, body);
    send({ id, answer: found.answer }, found.body);
  } catch (error) {
    if (error instanceof OutOfStep) exit(1); // what it holds is not what was sent: another process begins with nothing
    send({ id, fault: faultOf(error) });
  }
}

function send(message: Answer, body?: Uint8Array): void {
  output.write(encodeFrame(message, body));
}
