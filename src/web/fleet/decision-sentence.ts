import type { FleetBot } from '../live/joined-fleet.ts';
import type { Sentence } from '../live/decision-words.ts';
import { decisionSentence } from '../live/decision-words.ts';
import { shortCountsText } from '../live/count-words.ts';

/** What a bot is doing: what is wrong with it, else what the kill switch leaves of its trading, else its status when it makes no entries, else its last decision and, where that has no reason, its last hour and day. */
export function botSentence(bot: FleetBot, held: 'halted' | 'reducing' | null = null): Sentence {
  if (bot.status === 'stopped') return { what: 'Stopped', why: 'nothing runs' };
  if (bot.last_error !== null) return { what: 'Problem', why: bot.last_error };
  if (held === 'halted') return { what: 'Halted', why: 'no new orders but stops' };
  if (held === 'reducing') return { what: 'Reducing', why: 'no new trades; exits and stops continue' };
  if (bot.status === 'paused') {
    return { what: 'Paused', why: bot.open_trades > 0 ? 'no new entries; open trades keep their stops and exits' : 'no new entries' };
  }
  const decision = bot.last_decision;
  if (decision === undefined) return { what: '', why: '' };
  if (decision === null) return { what: 'Waiting', why: 'the next candle has not closed yet' };
  const sentence = decisionSentence(decision, bot.max_open_trades);
  return sentence.why === '' ? { ...sentence, why: shortCountsText(bot, decision.symbol) } : sentence;
}
