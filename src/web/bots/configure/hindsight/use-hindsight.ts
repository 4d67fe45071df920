import { hindsightOvertaken } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../api/api.ts';
import { detailOf, messageOf } from '../../../api/api-error.ts';
import type { BotForm } from '../use-bot-form.ts';
import type { HindsightQuestion } from './hindsight-question.ts';
import { hindsightQuestion } from './hindsight-question.ts';

/** What the server answers. */
export type HindsightReply = CallReply<'newBotHindsight'>;

/** What settings would have done, as it is known now. */
export interface Hindsight {
  isAsked: boolean; // the entries are such that they can be asked about
  isCurrent: boolean; // `reply` and `failure` are about the entries as they are
  reply: HindsightReply | null;
  failure: string | null;
}

/** How long the entries have to rest before they are asked about, in ms. */
const restMs = 600;

/** How soon is asked again while candles are on their way, in ms. */
const againMs = 2_000;

/** The candles of the last 30 days are others after a while, in ms. */
const staleMs = 60_000;

/** Asks what the entries of the form would have done; an answer to older entries is kept, and never called current. */
export function useHindsight(form: BotForm): Hindsight {
  const question = hindsightQuestion(form);
  const asked = question === null ? null : JSON.stringify(question);
  const rested = useRested(asked);
  const { data, error, isPlaceholderData, isFetching } = useQuery({
    queryKey: ['hindsight', rested],
    // Another question aborts this one, and the server ends its work on it.
    queryFn: ({ signal }) => ask(JSON.parse(rested ?? '') as HindsightQuestion, signal),
    enabled: rested !== null,
    placeholderData: keepPreviousData,
    staleTime: staleMs,
    refetchInterval: ({ state }) => (state.data?.state === 'downloading' ? againMs : false),
    meta: { what: 'the last 30 days of these settings' },
  });
  const isSettled = asked !== null && asked === rested && !isPlaceholderData;
  return {
    isAsked: asked !== null,
    isCurrent: isSettled && (data?.state === 'downloading' || !isFetching),
    reply: data ?? null,
    failure: isSettled && !isFetching && error !== null ? messageOf(error) : null,
  };
}

async function ask(question: HindsightQuestion, signal: AbortSignal): Promise<HindsightReply> {
  try {
    return await (question.call === 'botHindsight'
      ? api.botHindsight(question.input, { signal })
      : api.newBotHindsight(question.input, { signal }));
  } catch (error) {
    // The same person asks on another page: this one asks again.
    if (detailOf(error) === hindsightOvertaken)
      return { state: 'downloading', why: 'Another page of yours asks at the moment.', figures: null };
    throw error;
  }
}

/** The text once it has been the same for a while; null at once. */
function useRested(text: string | null): string | null {
  const [rested, setRested] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), text === null ? 0 : restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
