import type { NearestCandle } from '#contract/decisions.ts';
import { nearestText, whole } from '../live/count-words.ts';
import { refusalText } from '../live/decision-words.ts';
import type { DecisionFunnel } from './use-decisions.ts';

/** What became of the candles of a time, in a sentence: 'Last hour: 60 candles, 0 signals.' */
export function funnelSentence(time: string, funnel: DecisionFunnel, maxOpenTrades?: number, nearest: NearestCandle | null = null): string {
  const { candles, signals, refused, entered } = funnel;
  const counted = `${time}: ${counting(candles, 'candle')}, ${counting(signals, 'signal')}`;
  if (signals === 0) return `${counted}${nearest === null ? '' : `; ${nearestText(nearest, false)}`}.`;
  const all = refused.reduce((sum, { count }) => sum + count, 0);
  const why = refused.map(({ gate, count }) => `${refused.length === 1 ? '' : `${count} `}${refusalText(gate, maxOpenTrades)}`).join('; ');
  return `${counted}, ${all === 0 ? '0 refused' : `${whole(all)} refused (${why})`}, ${whole(entered)} entered.`;
}

/** Whether the day had nothing but the hour: of a bot that has run no longer. */
export function hasNoMore({ hour, day }: Record<'hour' | 'day', DecisionFunnel>): boolean {
  return day.candles === hour.candles && day.signals === hour.signals && day.entered === hour.entered;
}

function counting(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;
}
