import type { RulesDocument } from '#engine/rules/document.ts';
import { wordsOf } from '#engine/rules/words.ts';
import { formatRatio } from '../../../ui/ratio.ts';

/** A document as sentences of plain English, with the settings that it suggests. */
export function documentWords(document: RulesDocument): string[] {
  return [...wordsOf(document), settingWords(document)];
}

/** The settings that end a trade without a signal, as a sentence. */
function settingWords({ defaults }: RulesDocument): string {
  const { stoploss, minimalRoi, trailingStop, trailingStopPositive, trailingStopPositiveOffset, trailingOnlyOffsetIsReached, timeframe } =
    defaults;
  const roi = Object.entries(minimalRoi).map(([minutes, ratio]) =>
    Number(minutes) === 0 ? `at ${signed(ratio)}` : `at ${signed(ratio)} after ${minutes} minutes`,
  );
  const trailing = trailingStop
    ? [
        trailingStopPositive === null
          ? 'by trailing stop'
          : `by trailing stop ${formatRatio(trailingStopPositive, 2)} below the highest price${
              trailingStopPositiveOffset > 0
                ? `, ${trailingOnlyOffsetIsReached ? 'only' : 'closer'} from ${signed(trailingStopPositiveOffset)} on`
                : ''
            }`,
      ]
    : [];
  const ways = [`by stop at ${signed(stoploss)}`, ...trailing, ...(roi.length === 0 ? [] : [`by ROI ${roi.join(', ')}`])];
  return `Leave in any case ${ways.join('; ')}. Candles of ${timeframe}.`;
}

function signed(ratio: number): string {
  return `${ratio < 0 ? '' : '+'}${formatRatio(ratio, 2)}`;
}
