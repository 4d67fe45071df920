import { plainRefusal } from '#engine/ports/plain-refusal.ts';

/** Why an open trade has no stop at its exchange, as far as that is known. */
export interface WhyNoStop {
  refusal: string | null; // what the exchange has said against the newest stop
  too_small: 'to-sell' | 'for-stop' | null; // it takes no exit, or no stop, for so little
}

/** What is said of a trade without a stop: in a row, as a title, and in full. */
export interface NoStopWords {
  short: string;
  title: string;
  text: string;
}

const watched = 'The bot watches the price itself; if it stops, nothing limits the loss.';

/** The words for a trade without a stop at the exchange, by its reason. */
export function noStopWords({ refusal, too_small: tooSmall }: WhyNoStop): NoStopWords {
  switch (tooSmall) {
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
        text: refusal === null ? watched : `${watched} The exchange refused the newest stop: ${plainRefusal(refusal)}.`,
      };
  }
}
