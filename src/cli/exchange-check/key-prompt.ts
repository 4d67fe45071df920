import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { secondMs } from '#engine/market/durations.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import { CommandError } from '../command-error.ts';

/** Asks for a line at the terminal. */
export async function askFor(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** Asks for a line at the terminal that does not appear there. */
export async function askSecretly(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stdout.write(question);
  try {
    return (await lines.question('')).trim();
  } finally {
    lines.close();
    process.stdout.write('\n');
  }
}

/** A new key of the sandbox; its money is invented. Fails: CommandError when it gives none */
export async function sandboxCredentials(sandboxUrl: string): Promise<Credentials> {
  const answer = await fetch(`${sandboxUrl}/sandbox/v1/keys`, { method: 'POST', signal: AbortSignal.timeout(5 * secondMs) });
  const { apiKey, secretKey } = (await answer.json()) as { apiKey?: string; secretKey?: string };
  if (apiKey === undefined || secretKey === undefined) throw new CommandError('The sandbox gave no key.');
  return { key: apiKey, secret: secretKey, passphrase: null };
}
