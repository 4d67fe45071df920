import { setTimeout as sleep } from 'node:timers/promises';
import { lagMs, pauseMs } from './lag.ts';
import type { Probe } from './probe.ts';

/** One assumption about an exchange, and how it is tried. */
export interface Check {
  assumption: string; // what trading relies on, as a sentence
  /** Tries it and says what was seen. Fails: Skipped when it cannot be tried; anything else means that it does not hold */
  run(probe: Probe): Promise<string>;
}

/** What became of a check. */
export interface CheckResult {
  assumption: string;
  result: 'passed' | 'failed' | 'skipped';
  seen: string;
}

/** A check that could not be tried, with the reason. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Fails: Error with the sentence when something does not hold */
export function demand(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(sentence);
}

/** The first answer that is one, asked for again while the exchange may lag. Fails: Error with the sentence */
export async function eventually<Value>(sentence: string, ask: () => Promise<Value | null | false> | Value | null | false): Promise<Value> {
  for (const until = Date.now() + lagMs; ; await sleep(pauseMs)) {
    const value = await ask();
    if (value !== null && value !== false) return value;
    if (Date.now() > until) throw new Error(sentence);
  }
}
