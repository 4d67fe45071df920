import type { RulesDocument } from '#engine/rules/document.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { useEffect, useState } from 'react';
import { useReplayDesk } from '../replay/replay-desk.ts';
import type { ReplaySummary } from '../replay/replay-summary.ts';
import { useHistories } from '../replay/use-histories.ts';
import type { Market } from '../replay/use-market.ts';

/** What is known of the days of a template: its summary, null where there is none, a sentence why not, or undefined while it is on its way. */
export type TemplateFigures = ReplaySummary | string | null | undefined;

const none: readonly string[] = [];

/** Replays the documents of one timeframe on the market; each by its name. */
export function useTemplateFigures(
  market: Market | null,
  timeframe: Timeframe,
  documents: readonly (readonly [name: string, document: RulesDocument])[],
  onFigures: (name: string, figures: TemplateFigures) => void,
): void {
  const desk = useReplayDesk();
  const histories = useHistories(desk, market, timeframe, none);
  const { names, error } = histories;
  const [asked] = useState(documents); // templates do not change
  useEffect(() => {
    if (names === null) {
      for (const [name] of asked) onFigures(name, error ?? undefined);
      return undefined;
    }
    return desk.figures(
      names,
      asked.map(([, document]) => document),
      null,
      (place, summary) => onFigures(asked[place]?.[0] ?? '', summary),
    );
  }, [desk, names, error, asked, onFigures]);
}
