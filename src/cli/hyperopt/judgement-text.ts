import type { WalkForward } from '#engine/lab/judgement/walk-forward.ts';
import { percent, profitText } from './epoch-text.ts';
import type { EpochRecord, JudgementRecord } from './results-file.ts';

/** How far the best epoch of a study can be trusted, in words. */
export function judgementLines(judgement: JudgementRecord, best: EpochRecord, coin: string, hasModel: boolean): string[] {
  const { luck, overfitting, neighbourhood, doubledFees, delayedSignals, anchored, rolling } = judgement;
  const rows: [string, string][] = [
    ['Luck', luckText(judgement)],
    ['Skill', `${percent(luck.probability)} likely behind it after ${counted(luck.tries)} on this data (deflated Sharpe ratio)`],
    [
      'Overfitting',
      overfitting === null
        ? 'cannot be said of so few epochs or days'
        : `${percent(overfitting.probability)} of ${overfitting.splits.toLocaleString('en')} ways to split the time: the best of one half was worse than the middle in the other`,
    ],
    ['Walk forward', anchored === null ? 'cannot be said of so few days' : `${walkText(anchored)}, looking back to the beginning`],
    ...(rolling === null ? [] : ([['', `${walkText(rolling)}, looking back over two stretches`]] as [string, string][])),
    ...(hasModel && anchored !== null
      ? ([['', 'The sampler has seen the whole time, so both flatter; a grid or chance does not']] as [string, string][])
      : []),
    ...(neighbourhood === null
      ? []
      : ([
          [
            (best.figures?.profit ?? 0) <= 0 ? 'Neighbours' : neighbourhood.isPlateau ? 'Plateau' : 'Spike',
            `the median of ${neighbourhood.count} neighbours makes ${percent(neighbourhood.medianProfitRatio)}, this epoch ${percent(best.figures?.profitRatio ?? 0)}`,
          ],
        ] as [string, string][])),
    ...(doubledFees === null ? [] : ([['Fees doubled', profitText(doubledFees, coin)]] as [string, string][])),
    ...(delayedSignals === null ? [] : ([['A candle late', profitText(delayedSignals, coin)]] as [string, string][])),
    ['Buy and hold', percent(judgement.marketChange)],
  ];
  return rows.map(([name, text]) => `${name.padEnd(13)} ${text}`);
}

/** The best of so many lucky coins beside this one. */
function luckText({ luck: { tries, luckiest, sharpe } }: JudgementRecord): string {
  if (tries < 2)
    return `One try on this data: there was nothing to choose among. This shows a Sharpe ratio of ${sharpe.toFixed(2)} a year.`;
  return `The best of ${tries.toLocaleString('en')} lucky coins would show ${luckiest.toFixed(2)}. This shows ${sharpe.toFixed(2)}.`;
}

function counted(tries: number): string {
  return tries === 1 ? 'one try' : `${tries.toLocaleString('en')} tries`;
}

function walkText({ steps, won, efficiency, nextProfit }: WalkForward): string {
  const kept =
    efficiency === null
      ? 'nothing was won before'
      : efficiency <= 0
        ? 'nothing of the profit went on'
        : `${percent(efficiency)} of the profit went on`;
  return `${kept}; ${won} of ${steps} next stretches won, ${percent(nextProfit)} a day`;
}
