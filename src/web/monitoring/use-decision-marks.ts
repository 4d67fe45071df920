import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import type { Candle } from '../chart/chart-data.ts';

/** What a bot did with a signal. */
export type DecisionMark = CallReply<'botDecisionMarks'>['marks'][number];

/** How often the marks are asked for again, in ms: a bot decides once a minute at most. */
const marksPollMs = 60_000;

/** What the bot did with its signals since the oldest candle. Older candles that are loaded later bring theirs. */
export function useDecisionMarks(
  botId: string,
  symbol: string,
  candles: readonly Candle[],
): { marks: readonly DecisionMark[] | undefined; isFailed: boolean } {
  const oldest = candles[0]?.timestamp;
  const query = useQuery({
    // Candles come and go at the ends all the time; only a page of older ones is another question.
    queryKey: ['decision-marks', botId, symbol, Math.round(candles.length / 300)],
    queryFn: ({ signal }) =>
      api.botDecisionMarks(
        { params: { id: botId }, query: { symbol, ...(oldest === undefined ? {} : { from: new Date(oldest).toISOString() }) } },
        { signal },
      ),
    refetchInterval: marksPollMs,
    staleTime: marksPollMs,
    placeholderData: (before, last) => (last?.queryKey[1] === botId && last.queryKey[2] === symbol ? before : undefined),
    meta: { what: 'decisions' },
  });
  return { marks: heldData(query)?.marks, isFailed: query.isError };
}
