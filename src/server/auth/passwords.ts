import { hash, verify } from '@node-rs/argon2';
import { texts } from '#contract/errors.ts';
import { availableParallelism } from 'node:os';
import { HttpError } from '../http/http-error.ts';

// argon2id as OWASP recommends it for servers.
const settings = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

/**
 * How many passwords are hashed at once. Two at most: they run on the helper threads that name look-ups and file reads need too. One
 * where there are few cores: a flood of sign-ins would take them from everybody else.
 */
export const hashedAtOnce = availableParallelism() > 2 ? 2 : 1;

/** How many more of people who are not signed in wait for their turn. */
export const queueOfStrangers = 64;

/** How many wait at most: a crowd at the sign-in leaves some places to people who are inside and give the password for CLOSE ALL. */
export const longestQueue = queueOfStrangers + 8;
let running = 0;
const waiting: (() => void)[] = [];

/** How many passwords are being hashed, and how many wait for their turn. */
export function passwordQueue(): { running: number; waiting: number } {
  return { running, waiting: waiting.length };
}

/** The hash of a password, in PHC form. */
export async function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, settings));
}

/** Whether the password belongs to the hash. Without a hash the same work is done, so that the time gives nothing away. */
export async function isPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const against = passwordHash ?? (await dummyHash());
  const fits = await inTurn(() => verify(against, password));
  return fits && passwordHash !== null;
}

let dummy: Promise<string> | null = null;
function dummyHash(): Promise<string> {
  dummy ??= hashPassword('a password nobody has').catch((error: unknown) => {
    dummy = null; // the server is too busy for it now, not for ever
    throw error;
  });
  return dummy;
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= hashedAtOnce) {
    if (waiting.length >= longestQueue) throw new HttpError(429, texts.tooManyAttempts, { retryAfterSeconds: 5 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next(); // the place is handed on
  }
}
