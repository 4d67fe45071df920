import { plainRefusal } from '#engine/ports/plain-refusal.ts';
import { formatDuration, formatTimeOfDay } from './moment.ts';

/** Why an open trade has no stop at its exchange, as far as that is known, and what becomes of the next. */
export interface WhyNoStop {
  failed_at: string | null; // when the newest stop has failed; null when the newest that has ended did not fail
  refusal: string | null; // what the exchange has said against it
  ended_as: 'expired' | 'cancelled' | null; // the exchange had taken it, and ended it so; null when it was refused
  stood_ms: number | null; // how long that stop lay at the exchange
  too_small: 'to-sell' | 'for-stop' | null; // it takes no exit, or no stop, for so little
  next_stop: 'pausing' | 'asked' | 'on-its-way' | null; // it waits; a person wants it now; its outcome is not known yet; none waits
  stop_asked_at: string | null; // of one that a person wants now
}

/** What is said of a trade without a stop: in a row, as a title, and in full. */
export interface NoStopWords {
  short: string;
  title: string;
  text: string;
}

const watched = 'The bot watches the price itself; if it stops, nothing limits the loss.';

/** The words for a trade without a stop at the exchange, by its reason. */
export function noStopWords(why: WhyNoStop): NoStopWords {
  switch (why.too_small) {
    case 'to-sell':
      return {
        short: 'too small to sell',
        title: 'Too small to sell',
        text: 'The exchange takes no order for so little, so there is neither a stop nor an exit. It is sold when more was bought or the price makes it worth enough.',
      };
    case 'for-stop':
      return {
        short: 'too small for a stop',
        title: 'Too small for a stop',
        text: `At its stop price it is worth less than the smallest order of the exchange. ${watched}`,
      };
    case null:
      return {
        short: 'no stop',
        title: 'No stop at the exchange',
        text: [watched, failureText(why), nextText(why)].filter((sentence) => sentence !== null).join(' '),
      };
  }
}

/** Why the newest stop has failed; null when it has not. */
function failureText({ failed_at: failedAt, refusal, ended_as: endedAs, stood_ms: stoodMs }: WhyNoStop): string | null {
  if (failedAt === null) return null;
  const at = `at ${formatTimeOfDay(failedAt)} UTC`;
  const said = refusal === null || refusal.trim() === '' ? null : plainRefusal(refusal).replace(/\.$/u, '');
  const length = stoodMs === null ? '' : stoodMs < 1_000 ? ' at once' : ` after ${formatDuration(stoodMs)}`;
  const reason = said === null ? 'It gave no reason.' : `It said: ${said}.`;
  switch (endedAs) {
    case null:
      return `The exchange refused the newest stop ${at}${said === null ? ' and gave no reason' : `: ${said}`}.`;
    case 'expired':
      return `The exchange took the newest stop and ended it${length}, ${at}, as expired. ${reason}`;
    case 'cancelled':
      return `The exchange took the newest stop, and it was cancelled there${length}, ${at}, not by the bot. ${reason}`;
  }
}

function nextText({ next_stop: next, stop_asked_at: askedAt }: WhyNoStop): string | null {
  switch (next) {
    case 'pausing':
      return 'The next is tried within five minutes.';
    case 'asked':
      return `The next is tried now, as soon as the bot sees a price${askedAt === null ? '' : `; asked ${formatTimeOfDay(askedAt)}`}.`;
    case 'on-its-way':
      return 'A stop is on its way to the exchange.';
    case null:
      return null;
  }
}
