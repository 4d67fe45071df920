import { IconAlertTriangle } from '@tabler/icons-react';
import { ReplayEquity } from '../../../chart/replay-equity.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { decimalsOf, formatPnl, formatStake } from '../../../ui/money.ts';
import { daysAt } from '../replay/market-choice.ts';
import { useReplayed } from '../replay/replay-store.ts';
import { DifferingTrades } from './differing-trades.tsx';
import { EffectsTable } from './effects-table.tsx';
import { FiguresTable } from './figures-table.tsx';
import { honestWords } from './honest-words.ts';
import type { ResultProps } from './replay-panel.tsx';
import { ReplayPanel } from './replay-panel.tsx';
import { useTries } from './tries.ts';

const nothing: [] = [];

/** What the draft would have done, beside what the saved version would have. */
export function ResultColumn(props: ResultProps & { triesPlace: string }) {
  const { document, isDraft, version, offer, triesPlace, faultCount } = props;
  const hasDraft = useReplayed(({ draft }) => draft !== null);
  const isCompared = useReplayed(({ differences }) => differences !== null) && isDraft;
  const days = daysAt(document.defaults.timeframe, offer.choice.days);
  return (
    <div className="rules-stack rules-result">
      <ReplayPanel {...props} />
      {hasDraft ? (
        <div className={`rules-stack${faultCount > 0 ? ' rules-late' : ''}`}>
          <Equity isDraft={isDraft} version={version} />
          <div className={isCompared ? 'rules-two' : 'rules-stack'}>
            <FiguresTable days={days} version={version} isDraft={isDraft} />
            {isCompared ? <DifferingTrades /> : null}
          </div>
          <EffectsTable />
          <Honesty days={days} isDraft={isDraft} triesPlace={triesPlace} />
        </div>
      ) : null}
    </div>
  );
}

function Equity({ isDraft, version }: Pick<ResultProps, 'isDraft' | 'version'>) {
  const draft = useReplayed((replay) => replay.draft);
  const saved = useReplayed((replay) => (isDraft ? replay.saved : null));
  const hold = useReplayed((replay) => replay.hold);
  if (draft === null) return null;
  return (
    <CardPanel
      title="Equity"
      aside={
        <>
          <span>━ {isDraft || version === null ? 'draft' : `version ${version}`}</span>
          {saved === null ? null : <span>╍ version {version}</span>}
          <span className="fl-number">
            buy and hold {formatStake(draft.stake, draft.currency)}: {formatPnl(hold.at(-1)?.value ?? 0, draft.currency)}
          </span>
        </>
      }
      flush
    >
      <ReplayEquity
        label="Equity of the replay"
        draft={draft.equity}
        saved={saved?.equity ?? nothing}
        hold={hold}
        decimals={decimalsOf(draft.currency)}
      />
    </CardPanel>
  );
}

/** What the result proves, and how often was tried on these days. */
function Honesty({ days, isDraft, triesPlace }: { days: number; isDraft: boolean; triesPlace: string }) {
  const of = useReplayed((replay) => replay.of);
  const draft = useReplayed((replay) => replay.draft);
  const saved = useReplayed((replay) => (isDraft ? replay.saved : null));
  const tries = useTries(triesPlace, of);
  const words = draft === null ? null : honestWords({ draft: draft.figures, saved: saved?.figures ?? null, tries, days });
  if (words === null) return null;
  return (
    <section className="rules-honest" aria-label="How much this proves">
      <IconAlertTriangle size={16} aria-hidden />
      <div>
        <h2>{words.title}</h2>
        <p>{words.text}</p>
      </div>
    </section>
  );
}
