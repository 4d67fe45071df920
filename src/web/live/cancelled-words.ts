import { cancelledText } from './until-aborted.ts';

/** What is said after a change of a bot was cancelled while `what` was being sent; `saved` are the steps before it. */
export function cancelledWords(what: string, saved: readonly string[] = []): string {
  const before = saved.length === 0 ? '' : `Already saved: ${saved.join(' and ')}. `;
  return `${cancelledText} ${before}${what} may have been done already: check the bot.`;
}
