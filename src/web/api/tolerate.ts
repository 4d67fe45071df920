import { botDefaults } from './bot-defaults.ts';

/**
 * An answer with the values filled in that a server may omit, before the contract looks at it.
 *
 * - `verified` and `email_verified`: true after a sign-up, false after a sign-in or a session check
 * - `trades` of the order metrics: empty when it is not a list
 * - settings of a bot in the list: its defaults
 *
 * `callId` is the id of the call in the contract, e.g. 'API-02'.
 */
export function tolerate(callId: string, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (callId === 'API-03') return { verified: true, email_verified: true, ...answer };
  if (callId === 'API-01' || callId === 'API-02') return { verified: false, email_verified: false, ...answer };
  if (callId === 'API-31' && Array.isArray(answer)) return answer.map((bot: object) => ({ ...botDefaults, ...bot }));
  if (callId === 'API-20' && 'trades' in answer && !Array.isArray(answer.trades)) return { ...answer, trades: [] };
  return answer;
}
