import { useDeferredValue, useMemo } from 'react';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { formatMoney, formatPnl, toneOf } from '../../../ui/money.ts';
import { ruleRows } from '../edit/rule-rows.ts';
import { ruleText } from '../edit/sentence.ts';
import { useReplayed } from '../replay/replay-store.ts';
import type { ReplayFigures } from '../replay/replay-summary.ts';
import { TableScroll } from '../table-scroll.tsx';

/** The draft with each of its conditions, alone, switched over: off where it is on, on where it is off. */
export function EffectsTable() {
  const of = useReplayed((replay) => replay.of);
  const summary = useReplayed((replay) => replay.draft);
  const effects = useDeferredValue(useReplayed((replay) => replay.effects));
  const isCurrent = useReplayed((replay) => replay.effectsOf === replay.of);
  const rows = useMemo(() => (of === null ? [] : ruleRows(of)), [of]);
  if (of === null || summary === null) return null;
  const { figures: draft, currency } = summary;
  const top = rows.filter(({ depth }) => depth === 0);
  const changedLittle = top.filter(({ path }) => {
    const found = effects.get(path) ?? null;
    return found !== null && toneOf(found.netPnl - draft.netPnl, currency) === 'flat' && found.trades === draft.trades;
  });
  const isComplete = isCurrent && top.every(({ path }) => effects.has(path));
  return (
    <CardPanel title="What Each Condition Does" aside="the result with only this one switched on or off" flush>
      <TableScroll label="What each condition does" isLate={!isCurrent}>
        <table className="rules-table" aria-label="What each condition does" aria-busy={!isComplete}>
          <thead>
            <tr>
              <th>
                <span className="fl-visually-hidden">Number</span>
              </th>
              <th>Condition</th>
              <th className="fl-numeric">Trades</th>
              <th className="fl-numeric">Net PNL</th>
              <th className="fl-numeric">Difference</th>
              <th className="fl-numeric">Max drawdown</th>
            </tr>
          </thead>
          <tbody>
            {top.map((row) => (
              <tr key={row.path}>
                <td className="rules-dim">{row.name}</td>
                <td className="rules-cut" title={ruleText(of, row.rule)}>
                  {ruleText(of, row.rule)}
                  {row.rule.isOff === true ? <span className="rules-dim">, off now</span> : null}
                </td>
                <Cells figures={effects.get(row.path)} draft={draft} currency={currency} />
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      {isComplete && changedLittle.length > 0 ? (
        <p className="rules-foot">{changedLittle.map(({ name }) => name).join(', ')} changed nothing on these candles.</p>
      ) : null}
    </CardPanel>
  );
}

function Cells({ figures, draft, currency }: { figures: ReplayFigures | null | undefined; draft: ReplayFigures; currency: string }) {
  if (figures === undefined)
    return (
      <td colSpan={4} className="fl-numeric rules-dim">
        …
      </td>
    );
  if (figures === null)
    return (
      <td colSpan={4} className="fl-numeric rules-dim">
        nothing would enter
      </td>
    );
  const by = figures.netPnl - draft.netPnl;
  return (
    <>
      <td className="fl-numeric">{figures.trades}</td>
      <td className={`fl-numeric fl-${toneOf(figures.netPnl, currency)}`}>{formatPnl(figures.netPnl, currency)}</td>
      <td className={`fl-numeric fl-${toneOf(by, currency)}`}>{formatPnl(by, currency)}</td>
      <td className="fl-numeric">{formatMoney(figures.maxDrawdown, currency)}</td>
    </>
  );
}
