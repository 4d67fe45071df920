import { tooManyBots, tooManyPairs } from '#contract/bots.ts';
import { botsOfPerson } from '#storage/bots/bots-of-person.ts';
import type { Database } from '#storage/database.ts';
import { HttpError } from '../http/http-error.ts';

/** So many pairs the bots of a person may trade together for each that the person may have. */
const pairsOfBot = 10;

/** A bot that is added to those of a person, or, when it is one of them, gets more pairs. */
interface Addition {
  userId: string;
  botId: string | null;
  isNew: boolean; // to the runners: made, or brought back
  pairs: number; // all of it, with those that it has
}

/**
 * Refuses a bot, or pairs of one, for which a person has no room: a runner has so many places for everybody.
 *
 * Needs: a transaction with the person's account locked against locks: two calls at once must not both find room
 * Fails: 409
 */
export async function refuseWithoutRoom(trx: Database, mostBots: number, { userId, botId, isNew, pairs }: Addition): Promise<void> {
  const others = await botsOfPerson(trx, userId, botId);
  if (isNew && others.bots >= mostBots) throw new HttpError(409, tooManyBots.replace('{count}', count(mostBots)));
  const mostPairs = mostBots * pairsOfBot;
  if (others.pairs + pairs > mostPairs) throw new HttpError(409, tooManyPairs.replace('{count}', count(mostPairs)));
}

function count(most: number): string {
  return most.toLocaleString('en-US');
}
