import { IconAlertTriangle } from '@tabler/icons-react';
import { ReplayEquity } from '../../../chart/replay-equity.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { formatPnl, formatStake } from '../../../ui/money.ts';
import { daysAt } from '../replay/market-choice.ts';
import { DifferingTrades } from './differing-trades.tsx';
import { EffectsTable } from './effects-table.tsx';
import { FiguresTable } from './figures-table.tsx';
import { honestWords } from './honest-words.ts';
import type { ResultProps } from './replay-panel.tsx';
import { ReplayPanel } from './replay-panel.tsx';
import { useTries } from './tries.ts';

const nothing: [] = [];

/** What the draft would have done, beside what the saved version would have. */
export function ResultColumn(props: ResultProps & { triesPlace: string; onChoose: (place: number) => void }) {
  const { document, rows, replay, isDraft, version, differences, offer, chosen, onChoose, triesPlace } = props;
  const { draft, saved, hold, effects } = replay;
  const days = daysAt(document.defaults.timeframe, offer.choice.days);
  const tries = useTries(triesPlace, replay.of);
  const compared = isDraft ? saved : null;
  const words = draft === null ? null : honestWords({ draft: draft.figures, saved: compared?.figures ?? null, tries, days });
  return (
    <div className="rules-stack rules-result">
      <ReplayPanel {...props} />
      {draft === null ? null : (
        <>
          <CardPanel
            title="Equity"
            aside={
              <>
                <span>━ {isDraft || version === null ? 'draft' : `version ${version}`}</span>
                {compared === null ? null : <span>╍ version {version}</span>}
                <span className="fl-number">
                  holding {formatStake(draft.stake, draft.currency)} of it {formatPnl(hold.at(-1)?.value ?? 0, draft.currency)}
                </span>
              </>
            }
            flush
          >
            <ReplayEquity label="Equity of the replay" draft={draft.equity} saved={compared?.equity ?? nothing} hold={hold} />
          </CardPanel>
          <div className={differences === null || !isDraft ? 'rules-stack' : 'rules-two'}>
            <FiguresTable
              days={days}
              draft={draft.figures}
              saved={saved?.figures ?? null}
              version={version}
              currency={draft.currency}
              isDraft={isDraft}
            />
            {differences === null || !isDraft ? null : (
              <DifferingTrades differences={differences} currency={draft.currency} chosen={chosen} onChoose={onChoose} />
            )}
          </div>
          <EffectsTable
            document={document}
            rows={rows}
            draft={draft.figures}
            effects={effects}
            isCurrent={replay.effectsOf === document}
            currency={draft.currency}
          />
          {words === null ? null : (
            <section className="rules-honest" aria-label="How much this proves">
              <IconAlertTriangle size={16} aria-hidden />
              <div>
                <h2>{words.title}</h2>
                <p>{words.text}</p>
              </div>
            </section>
          )}
        </>
      )}
    </div>
  );
}
