import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { Button } from '../../../ui/button.tsx';
import { testedExitWords } from '../../../ui/exit-words.ts';
import { formatMoment } from '../../../ui/moment.ts';
import { formatPnl } from '../../../ui/money.ts';
import { chosenPlace, useReplayed, useReplayStore, walkDifferences } from '../replay/replay-store.ts';
import type { TradeDifference } from '../replay/trade-differences.ts';

/** Walks along the trades that the draft adds, removes, or ends otherwise. */
export function DifferenceWalk() {
  const store = useReplayStore();
  const differences = useReplayed((replay) => replay.differences);
  const chosen = useReplayed((replay) => replay.chosen);
  const currency = useReplayed((replay) => replay.draft?.currency ?? 'USDT');
  if (differences === null) return null;
  const { list } = differences;
  const at = chosenPlace(differences, chosen);
  const each = at === null ? undefined : list[at];
  if (list.length === 0) return <span className="rules-dim rules-walk">the same trades</span>;
  return (
    <div className="rules-walk">
      {each === undefined ? null : <span className="fl-number">{differenceText(each, currency)}</span>}
      <span className="fl-number">
        change <b className="rules-strong">{at === null ? '—' : at + 1}</b> of {list.length}
      </span>
      <Button size="small" variant="secondary" aria-label="Previous change" title="Key [" onClick={() => walkDifferences(store, -1)}>
        <IconChevronLeft size={13} aria-hidden />
      </Button>
      <Button size="small" variant="secondary" aria-label="Next change" title="Key ]" onClick={() => walkDifferences(store, 1)}>
        <IconChevronRight size={13} aria-hidden />
      </Button>
    </div>
  );
}

/** '2026-09-28 13:30, added, profit target +$2.49'. */
function differenceText({ kind, trade }: TradeDifference, currency: string): string {
  const words = { added: 'added', removed: 'removed, was', changed: 'other result' } as const;
  return `${formatMoment(trade.openTime).slice(0, 16)}, ${words[kind]}, ${testedExitWords(trade.exitReason)} ${formatPnl(trade.profit, currency)}`;
}
