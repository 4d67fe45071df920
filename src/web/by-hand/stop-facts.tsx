import { formatPnl, toneOf } from '../ui/money.ts';
import { formatSignedRatio } from '../ui/ratio.ts';
import type { AskingProps } from './asking.tsx';
import type { StopMeaning } from './stop-loss-facts.ts';

/** How far a stop is from the price, and what it brings when it is hit, in stake currency; nothing of one that the price has passed. `note` follows the money. */
export function stopFacts(meaning: StopMeaning | null, currency: string, note = ''): AskingProps['facts'] {
  if (meaning?.isBeyond === true) return [];
  return [
    ['Distance', meaning === null ? 'not known' : formatSignedRatio(meaning.distance)],
    [
      'Result if it is hit',
      meaning === null ? (
        'not known'
      ) : (
        <span key="result">
          <b className={`fl-${toneOf(meaning.result, currency)}`}>{formatPnl(meaning.result, currency)}</b>
          {note === '' ? null : ` ${note}`}
        </span>
      ),
    ],
  ];
}
