import { secondMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';

/** A new key of the sandbox; its money is invented, so anybody may have one. Fails: ExchangeError when the sandbox does not answer */
export type NewSandboxKey = () => Promise<{ key: string; secret: string }>;

/** Asks the sandbox at an address for keys. */
export function sandboxKeys(sandboxUrl: string | null): NewSandboxKey {
  return async () => {
    if (sandboxUrl === null) throw new ExchangeError('temporary', 'No sandbox is running.');
    try {
      const answer = await fetch(`${sandboxUrl}/sandbox/v1/keys`, { method: 'POST', signal: AbortSignal.timeout(5 * secondMs) });
      const { apiKey, secretKey } = (await answer.json()) as { apiKey?: string; secretKey?: string };
      if (apiKey === undefined || secretKey === undefined) throw new Error(`status ${answer.status}`);
      return { key: apiKey, secret: secretKey };
    } catch (cause) {
      throw new ExchangeError('temporary', 'The sandbox gave no key.', { cause });
    }
  };
}
