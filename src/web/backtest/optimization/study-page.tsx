import { useEffect, useMemo, useRef, useState } from 'react';
import { importanceOf } from '#engine/lab/importance.ts';
import { messageOf } from '../../api/api-error.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { RowsSkeleton } from '../../ui/skeleton.tsx';
import { BestTries } from './best-tries.tsx';
import { EveryTry } from './every-try.tsx';
import { GoodOnes } from './good-ones.tsx';
import { IsItLuck } from './is-it-luck.tsx';
import { SettingsLines } from './settings-lines.tsx';
import { StudyHead } from './study-head.tsx';
import { faultsText, tradesText } from './study-words.ts';
import { bestOf, nearbyOf, onPlateau, triedOf } from './study-figures.ts';
import type { UseTry } from './try-for-bot.ts';
import type { FollowedStudy } from './use-studies.ts';
import { isUnderWay, showStudy, useFollowedStudy } from './use-studies.ts';
import { WhatMatters } from './what-matters.tsx';

/** One study, followed while it is under way. */
export function StudyPage({ id, onUseTry }: { id: string; onUseTry: UseTry }) {
  const { data, error, isError, isFetching, refetch } = useFollowedStudy(id);
  if (data !== undefined) return <Study followed={data} onUseTry={onUseTry} />;
  return (
    <CardPanel
      title="Study"
      aside={
        <Button variant="secondary" onClick={() => showStudy(null)}>
          All Studies
        </Button>
      }
      flush
    >
      {isError ? (
        <FailedLoad text="Failed to load the study" detail={messageOf(error)} isLoading={isFetching} onRetry={() => void refetch()} />
      ) : (
        <RowsSkeleton rows={8} height={48} />
      )}
    </CardPanel>
  );
}

function Study({ followed: { study, details, epochs }, onUseTry }: { followed: FollowedStudy; onUseTry: UseTry }) {
  const { dimensions, loss, best_epoch: bestEpoch } = study;
  const tried = useMemo(() => triedOf(epochs), [epochs]);
  const importance = useMemo(() => importanceOf(dimensions, tried), [dimensions, tried]);
  const best = useMemo(() => tried.find(({ epoch }) => epoch === bestEpoch) ?? null, [tried, bestEpoch]);
  const faults = useMemo(() => faultsText(epochs), [epochs]);
  const listed = useMemo(() => bestOf(tried, mostListed), [tried]);
  const nearby = useMemo(() => new Map(listed.map((each) => [each.epoch, nearbyOf(dimensions, tried, each)])), [listed, dimensions, tried]);
  const plateau = useMemo(() => onPlateau(listed, nearby), [listed, nearby]);
  const speed = useSpeed(study.epochs, study.started_at, study.finished_at);
  const [chosen, setChosen] = useState<readonly [string, string] | null>(null);
  // Until somebody chooses, the map shows what matters most.
  const [first, second] = importance;
  const shown = chosen ?? (first === undefined || second === undefined ? null : ([first.name, second.name] as const));
  // Without a single result there is nothing to draw: the sentence in the head says why.
  if (!isUnderWay(study) && tried.length === 0)
    return (
      <div className="st">
        <StudyHead study={study} details={details} best={best} speed={null} />
        {faults === null ? null : <Banner tone="warning" text={faults} />}
        {epochs.length === 0 ? null : (
          <CardPanel title="Every Try">
            <EmptyState text={tradesText(epochs)} hint={`A try has a result with at least ${study.min_trades} trades.`} minHeight={160} />
          </CardPanel>
        )}
      </div>
    );
  return (
    <div className="st">
      <StudyHead study={study} details={details} best={best} speed={speed} />
      {faults === null ? null : <Banner tone="warning" text={faults} />}
      {epochs.length === 0 ? (
        <CardPanel title="Every Try">
          <EmptyState
            text="The tries will appear here."
            hint="First the candles are fetched, and the settings are tried as they are."
            minHeight={260}
          />
        </CardPanel>
      ) : (
        <>
          <div className="st-columns">
            <div className="st-main">
              <div className="st-two">
                <EveryTry tried={tried} best={best} configured={details?.configured ?? null} />
                <GoodOnes
                  loss={loss}
                  dimensions={dimensions}
                  tried={tried}
                  best={best}
                  isPlateau={best === null || best.figures.profit <= 0 ? null : (details?.judgement?.neighbourhood?.is_plateau ?? null)}
                  chosen={shown}
                  onChoose={setChosen}
                />
              </div>
              <div className="st-two st-wide-first">
                <SettingsLines loss={loss} dimensions={dimensions} order={importance.map(({ name }) => name)} tried={tried} />
                <WhatMatters importance={importance} dimensions={dimensions} />
              </div>
            </div>
            <IsItLuck study={study} details={details} best={best} plateau={plateau} />
          </div>
          <BestTries study={study} best={listed} nearby={nearby} onUseTry={onUseTry} />
        </>
      )}
    </div>
  );
}

/** So many of the best tries are listed. */
const mostListed = 50;

/** So long the speed looks back, in ms. */
const speedMs = 10_000;

/** Epochs a second: over the last ten seconds while it runs, over the whole time when it has ended. */
function useSpeed(epochs: number, startedAt: string | null, finishedAt: string | null): number | null {
  const seen = useRef<{ at: number; epochs: number }[]>([]);
  const [speed, setSpeed] = useState<number | null>(null);
  useEffect(() => {
    const now = performance.now();
    seen.current = [...seen.current.filter(({ at }) => now - at < speedMs), { at: now, epochs }];
    const [oldest] = seen.current;
    if (oldest !== undefined && now - oldest.at > 900) setSpeed(((epochs - oldest.epochs) / (now - oldest.at)) * 1_000);
  }, [epochs]);
  if (startedAt === null || finishedAt === null) return speed;
  const tookMs = Date.parse(finishedAt) - Date.parse(startedAt);
  return tookMs > 0 ? (epochs / tookMs) * 1_000 : null;
}
