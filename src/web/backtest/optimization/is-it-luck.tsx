import { IconAlertTriangle, IconCircleCheck, IconLock, IconLockOpen } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Fact } from '../../ui/fact.tsx';
import { formatMoment } from '../../ui/moment.ts';
import { formatPnl, quoteOf, toneOf } from '../../ui/money.ts';
import { formatRatio, formatSignedRatio } from '../../ui/ratio.ts';
import type { onPlateau } from './study-figures.ts';
import { verdictOf } from './study-words.ts';
import type { Epoch, StudyFacts, StudyItem } from './use-studies.ts';
import { isUnderWay, useStudyActions } from './use-studies.ts';
import { WalkBars } from './walk-bars.tsx';

type Figures = NonNullable<Epoch['figures']>;
type Walk = NonNullable<StudyFacts['judgement']>['rolling'];

/** See `IsItLuck`. */
export interface IsItLuckProps {
  study: StudyItem;
  details: StudyFacts | null;
  best: Epoch | null;
  plateau: ReturnType<typeof onPlateau>; // the best try of those that stand on one
}

/** How far the best try can be trusted, in words and figures, and the sealed time that can be opened once. */
export function IsItLuck({ study, details, best, plateau }: IsItLuckProps) {
  const luck = details?.luck ?? null;
  const verdict = details === null ? null : verdictOf(details, best);
  return (
    <CardPanel
      title="Is It Luck?"
      aside={<span className="fl-number">{details === null ? '' : `${details.tries.toLocaleString('en')} tries on this data`}</span>}
      flush
    >
      {details === null || luck === null || verdict === null ? (
        <EmptyState
          text={isUnderWay(study) ? 'It is judged as soon as a try has made a trade.' : 'No try can be judged.'}
          minHeight={240}
        />
      ) : (
        <div className="st-luck">
          <p className={verdict.isGood ? 'st-verdict st-good' : 'st-verdict st-warn'}>
            {verdict.isGood ? <IconCircleCheck size={20} aria-hidden /> : <IconAlertTriangle size={20} aria-hidden />}
            {verdict.title}
          </p>
          <p>{luckText(details.tries, luck)}</p>
          <LuckLine luckiest={luck.luckiest} sharpe={luck.sharpe} />
          <dl className="st-facts">
            <Fact name="Deflated Sharpe ratio">
              <b className="fl-number">{luck.probability.toFixed(2)}</b> wanted above 0.95
            </Fact>
            <Judgement study={study} details={details} best={best} />
            <Fact name="Buy and hold">
              <span className="fl-number">{formatSignedRatio(details.market_change)}</span>
            </Fact>
          </dl>
          {details.judgement?.neighbourhood?.is_plateau !== false || plateau === null || plateau.epoch === best?.epoch ? null : (
            <p className="st-hint">
              <b>Look at try {plateau.epoch} instead.</b> The {plateau.nearby.count} tries near it have a median profit of{' '}
              <span className="fl-number">{formatSignedRatio(plateau.nearby.medianProfitRatio)}</span>.
            </p>
          )}
          <WalkBars windows={details.judgement?.rolling?.windows ?? []} />
          <p className="bp-note">Sharpe ratios here are of the daily profits of closed trades, for a year.</p>
          {details.notes.map((note) => (
            <p key={note} className="bp-note">
              {note}
            </p>
          ))}
        </div>
      )}
      {details === null ? null : <Seal study={study} details={details} best={best} />}
    </CardPanel>
  );
}

function luckText(tries: number, { luckiest, sharpe }: NonNullable<StudyFacts['luck']>): string {
  if (tries < 2) return `One try on this data: there was nothing to choose among. This shows a Sharpe of ${sharpe.toFixed(2)} a year.`;
  return `The best of ${tries.toLocaleString('en')} lucky coins would show a Sharpe of ${luckiest.toFixed(2)}. This shows ${sharpe.toFixed(2)}.`;
}

function LuckLine({ luckiest, sharpe }: { luckiest: number; sharpe: number }) {
  const most = Math.max(luckiest, sharpe, 0.5) * 1.25;
  const least = Math.min(0, luckiest, sharpe) * 1.25;
  const x = (value: number) => 8 + ((value - least) / (most - least)) * 304;
  return (
    <svg className="st-chart" viewBox="0 0 320 44" role="img" aria-label={`Luck ${luckiest.toFixed(2)}, best ${sharpe.toFixed(2)}`}>
      <line className="st-track" x1={8} x2={312} y1={22} y2={22} />
      <line className="st-luck-mark" x1={x(luckiest)} x2={x(luckiest)} y1={15} y2={29} />
      <text x={clamp(x(luckiest))} y={10} textAnchor="middle">
        luck {luckiest.toFixed(2)}
      </text>
      <circle className="st-best-mark" cx={x(sharpe)} cy={22} r={5} />
      <text x={clamp(x(sharpe))} y={42} textAnchor="middle">
        best {sharpe.toFixed(2)}
      </text>
    </svg>
  );
}

/** So far from the ends that a label is not cut. */
function clamp(x: number): number {
  return Math.min(285, Math.max(35, x));
}

function Judgement({ study, details, best }: { study: StudyItem; details: StudyFacts; best: Epoch | null }) {
  const { judgement } = details;
  if (judgement === null)
    return (
      <Fact name="Overfitting, neighbours, costs">
        {isUnderWay(study) ? 'when all tries are made' : study.status === 'cancelled' ? 'not judged: it was cancelled' : 'not judged'}
      </Fact>
    );
  const { overfitting, rolling, anchored, neighbourhood, doubled_fees: doubled, delayed_signals: delayed } = judgement;
  const currency = quoteOf(study.plan.pairs[0] ?? '');
  const seen = study.sampler === 'tpe' ? ', flattered' : '';
  return (
    <>
      <Fact name="Probability of overfitting">
        {overfitting === null ? (
          'too few days or tries'
        ) : (
          <Warned isBad={overfitting.probability > 0.4}>{formatRatio(overfitting.probability, 0)}</Warned>
        )}
      </Fact>
      <Fact name={`Walk forward, rolling${seen}`}>{walkText(rolling)}</Fact>
      <Fact name={`Walk forward, anchored${seen}`}>{walkText(anchored)}</Fact>
      <Fact name="Neighbours">
        {neighbourhood === null ? (
          'none'
        ) : (
          <Warned isBad={!neighbourhood.is_plateau}>
            {neighbourhood.is_plateau ? 'plateau' : (best?.figures?.profit ?? 0) <= 0 ? 'no profit' : 'spike'}: the median of{' '}
            {neighbourhood.count} is {formatSignedRatio(neighbourhood.median_profit_ratio)}
          </Warned>
        )}
      </Fact>
      <Fact name="Fees doubled">
        <Money figures={doubled} currency={currency} />
      </Fact>
      <Fact name="One candle of delay">
        <Money figures={delayed} currency={currency} />
      </Fact>
    </>
  );
}

function walkText(walk: Walk): ReactNode {
  if (walk === null) return 'too few days';
  const { efficiency, won, steps } = walk;
  const kept =
    efficiency === null ? 'nothing was won before' : efficiency <= 0 ? 'nothing went on' : `${formatRatio(efficiency, 0)} went on`;
  return (
    <Warned isBad={efficiency === null || efficiency < 0.5}>
      {kept}, {won} of {steps} won
    </Warned>
  );
}

function Warned({ isBad, children }: { isBad: boolean; children: ReactNode }) {
  return (
    <span className={isBad ? 'st-warn' : ''}>
      {isBad ? <IconAlertTriangle size={12} aria-label="Warning:" /> : null} {children}
    </span>
  );
}

function Money({ figures, currency }: { figures: Figures | null; currency: string }) {
  if (figures === null) return 'failed';
  return <span className={`fl-${toneOf(figures.profit, currency)} fl-number`}>{formatPnl(figures.profit, currency)}</span>;
}

function Seal({ study, details, best }: { study: StudyItem; details: StudyFacts; best: Epoch | null }) {
  const { sealed, unsealed } = details;
  if (sealed === null) return null;
  const stretch = `${formatMoment(new Date(sealed.from).toISOString()).slice(0, 10)} to ${formatMoment(new Date(sealed.to).toISOString()).slice(0, 10)}`;
  const currency = quoteOf(study.plan.pairs[0] ?? '');
  if (unsealed !== null)
    return (
      <div className="st-seal">
        <IconLockOpen size={14} aria-hidden />
        <div>
          <p>
            {stretch}, opened {formatMoment(unsealed.at).slice(0, 16)} UTC{unsealed.email === null ? '' : ` by ${unsealed.email}`} for try{' '}
            {unsealed.epoch}
          </p>
          {unsealed.figures !== null ? (
            <p>
              There it made <Money figures={unsealed.figures} currency={currency} /> ({formatSignedRatio(unsealed.figures.profit_ratio)}) in{' '}
              {unsealed.figures.trades} trades.
            </p>
          ) : (
            <p role="status">{study.error === null ? 'Running it...' : `The run failed, so nothing of it was seen: ${study.error}`}</p>
          )}
        </div>
        {unsealed.figures !== null || study.error === null ? null : (
          <OpenButton
            study={study}
            epoch={unsealed.epoch}
            label="Run It Again"
            message={`Runs try ${unsealed.epoch} on ${stretch} again, the one that it was opened for. What comes of it is shown once for the whole study, and is recorded with your name.`}
          />
        )}
      </div>
    );
  return (
    <div className="st-seal">
      <IconLock size={14} aria-hidden />
      <p>{stretch} sealed, not opened yet</p>
      {study.status === 'done' && best !== null ? (
        <OpenButton
          study={study}
          epoch={best.epoch}
          label="Open Once"
          message={`Runs try ${best.epoch}, the best, on ${stretch}. This can be done once for the whole study, and is recorded with your name.`}
        />
      ) : null}
    </div>
  );
}

/** A button that runs a try on the sealed time, after a question. */
function OpenButton({ study, epoch, label, message }: { study: StudyItem; epoch: number; label: string; message: string }) {
  const [isAsking, setAsking] = useState(false);
  const { opening, cancelSending } = useStudyActions(study.id);
  return (
    <>
      <Button variant="secondary" size="small" icon={<IconLockOpen size={13} aria-hidden />} onClick={() => setAsking(true)}>
        {label}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title="Open the Sealed Time"
        message={message}
        confirmLabel={label}
        loading={opening.isPending}
        onCancel={() => {
          cancelSending();
          setAsking(false);
        }}
        onConfirm={() => opening.mutate(epoch, { onSettled: () => setAsking(false) })}
      />
    </>
  );
}
