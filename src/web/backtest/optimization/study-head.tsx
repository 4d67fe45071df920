import { Progress } from '@mantine/core';
import { IconList, IconRefresh, IconTrash, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { Figure } from '../../ui/figure-bar.tsx';
import { FigureBar } from '../../ui/figure-bar.tsx';
import { formatDuration } from '../../ui/moment.ts';
import { formatPnl, quoteOf, toneOf } from '../../ui/money.ts';
import { formatRatio, formatSignedRatio } from '../../ui/ratio.ts';
import { openSearchLike } from './search-again.ts';
import { measureOf, measureText, statusWords, studyTitle, studyWords } from './study-words.ts';
import type { Epoch, StudyFacts, StudyItem } from './use-studies.ts';
import { isUnderWay, showStudy, useStudyActions } from './use-studies.ts';

/** What a study is, how far it is, and its best so far. `speed` is in epochs a second; null before it is known. */
export function StudyHead({
  study,
  details,
  best,
  speed,
}: {
  study: StudyItem;
  details: StudyFacts | null;
  best: Epoch | null;
  speed: number | null;
}) {
  const [isAsking, setAsking] = useState(false);
  const { cancelling, removing, cancelSending } = useStudyActions(study.id);
  const isOpen = isUnderWay(study);
  const isOfSeal = details !== null && details.sealed !== null && details.unsealed !== null && details.unsealed.figures === null; // it is said beside it
  const percent = study.epochs_wanted === 0 ? 0 : Math.min(100, (study.epochs / study.epochs_wanted) * 100);
  return (
    <CardPanel
      title={studyTitle(study)}
      aside={
        <>
          <span className={`st-status st-status-${study.status}`} role="status">
            {statusWords[study.status]}
          </span>
          {isOpen ? (
            <Button
              variant="outlined-destructive"
              icon={<IconX size={14} aria-hidden />}
              loading={cancelling.isPending}
              onClick={() => cancelling.mutate()}
            >
              Cancel
            </Button>
          ) : (
            <>
              <Button
                variant="secondary"
                icon={<IconRefresh size={14} aria-hidden />}
                title="Opens the form of a new study, filled in like this one; nothing is begun"
                onClick={() => openSearchLike(study)}
              >
                Search Again
              </Button>
              <Button variant="secondary" icon={<IconTrash size={14} aria-hidden />} onClick={() => setAsking(true)}>
                Remove
              </Button>
            </>
          )}
          <Button variant="secondary" icon={<IconList size={14} aria-hidden />} onClick={() => showStudy(null)}>
            All Studies
          </Button>
        </>
      }
      flush
    >
      <p className="st-asked">
        {studyWords(study)}
        {study.is_own || study.email === null ? '' : `; of ${study.email}`}
      </p>
      <div className="st-progress">
        <Progress.Root size="sm">
          <Progress.Section value={percent} aria-label="Tries made" />
        </Progress.Root>
        <p className="bp-note" role="status">
          {isOpen ? stepText(study) : ''}
        </p>
      </div>
      {study.error === null || isOfSeal ? null : (
        <div className="bp-inside">
          <Banner tone="error" text={study.error} />
        </div>
      )}
      <FigureBar label="Figures of the study" figures={figuresOf(study, details, best, speed)} />
      <ConfirmDialog
        opened={isAsking}
        title="Remove the Study"
        message="Its tries are removed, and stay counted among the tries on this data."
        confirmLabel="Remove"
        destructive
        loading={removing.isPending}
        onCancel={() => {
          cancelSending();
          setAsking(false);
        }}
        onConfirm={() => removing.mutate()}
      />
    </CardPanel>
  );
}

function stepText({ status, step }: StudyItem): string {
  if (status === 'queued') return step === '' ? 'Waiting for a worker' : step;
  return status === 'judging' ? 'Judging the best: its neighbours, costs and delay' : 'It continues when this page is closed';
}

function figuresOf(study: StudyItem, details: StudyFacts | null, best: Epoch | null, speed: number | null): Figure[] {
  const { title, sign } = measureOf(study.loss);
  const currency = quoteOf(study.plan.pairs[0] ?? '');
  const left = study.epochs_wanted - study.epochs;
  const profit = best?.figures?.profit ?? null;
  return [
    {
      name: 'Tries',
      value: study.epochs,
      isLead: true,
      note: `of ${study.epochs_wanted}, ${formatRatio(study.epochs / study.epochs_wanted)}`,
    },
    { name: 'Epochs per Second', value: speed === null ? '–' : speed < 10 ? speed.toFixed(1) : speed.toFixed(0) },
    {
      name: study.finished_at === null ? 'Time Left' : 'Took',
      value:
        study.finished_at !== null && study.started_at !== null
          ? formatDuration(Date.parse(study.finished_at) - Date.parse(study.started_at))
          : study.status === 'running' && speed !== null && speed > 0
            ? formatDuration((left / speed) * 1_000)
            : '–',
    },
    {
      name: `Best ${title}`,
      value: study.best_loss === null ? '–' : measureText(study.best_loss, sign),
      ...(study.best_epoch === null ? {} : { note: `try ${study.best_epoch}` }),
    },
    {
      name: 'Its Profit',
      ...(profit === null
        ? { value: '–' }
        : {
            value: formatPnl(profit, currency),
            tone: toneOf(profit, currency),
            note: formatSignedRatio(best?.figures?.profit_ratio ?? 0),
          }),
    },
    {
      name: 'As Configured',
      ...(details === null
        ? { value: '–' }
        : {
            value: formatPnl(details.configured.profit, currency),
            tone: toneOf(details.configured.profit, currency),
            note: `${details.configured.trades} trades`,
          }),
    },
    {
      name: 'All Tries on This Data',
      value: details === null ? '–' : details.tries,
      ...(details === null ? {} : { note: details.studies === 1 ? 'in 1 study' : `in ${details.studies} studies` }),
    },
  ];
}
