import { CardPanel } from '../../../ui/card-panel.tsx';
import { formatMoney, formatPnl, toneOf } from '../../../ui/money.ts';
import { formatRatio } from '../../../ui/ratio.ts';
import { useReplayed } from '../replay/replay-store.ts';
import type { ReplayFigures } from '../replay/replay-summary.ts';
import { TableScroll } from '../table-scroll.tsx';

/** See `FiguresTable`. */
export interface FiguresTableProps {
  days: number;
  version: number | null; // that is saved
  isDraft: boolean; // something differs from the saved version
}

interface Row {
  name: string;
  value: (figures: ReplayFigures) => number | null;
  show: (value: number, currency: string) => string;
  difference: (by: number, currency: string) => string;
  better?: 'more' | 'less'; // of money: which way is a gain
}

const none = '—';
const signed = (value: number, decimals: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(decimals)}`;
const hours = (ms: number): string => `${(ms / 3_600_000).toFixed(1)} h`;

const rows: readonly Row[] = [
  { name: 'Net PNL', value: ({ netPnl }) => netPnl, show: formatPnl, difference: formatPnl, better: 'more' },
  { name: 'Trades', value: ({ trades }) => trades, show: String, difference: (by) => signed(by, 0) },
  {
    name: 'Win rate',
    value: ({ winRate }) => winRate,
    show: (ratio) => formatRatio(ratio),
    difference: (by) => `${signed(by * 100, 1)} pp`,
  },
  { name: 'Max drawdown', value: ({ maxDrawdown }) => maxDrawdown, show: formatMoney, difference: formatPnl, better: 'less' },
  {
    name: 'Profit factor',
    value: ({ profitFactor }) => profitFactor,
    show: (factor) => factor.toFixed(2),
    difference: (by) => signed(by, 2),
  },
  { name: 'Average trade', value: ({ averageTrade }) => averageTrade, show: formatPnl, difference: formatPnl, better: 'more' },
  { name: 'Worst trade', value: ({ worstTrade }) => worstTrade, show: formatPnl, difference: formatPnl, better: 'more' },
  { name: 'Fees', value: ({ fees }) => fees, show: formatMoney, difference: formatPnl, better: 'less' },
  { name: 'Time in trade', value: ({ averageTimeMs }) => averageTimeMs, show: hours, difference: (by) => `${signed(by / 3_600_000, 1)} h` },
];

/** The figures of the draft beside those of the saved version. */
export function FiguresTable({ days, version, isDraft }: FiguresTableProps) {
  const draft = useReplayed((replay) => replay.draft);
  const saved = useReplayed((replay) => (isDraft ? (replay.saved?.figures ?? null) : null));
  if (draft === null) return null;
  const isCompared = saved !== null;
  return (
    <CardPanel title="Figures" aside="after fees, closed trades" flush>
      <TableScroll label="Figures">
        <table className="rules-table" aria-label="Figures">
          <thead>
            <tr>
              <th>{days} days</th>
              {isCompared ? <th className="fl-numeric">Version {version}</th> : null}
              <th className="fl-numeric">{isDraft || version === null ? 'Draft' : `Version ${version}`}</th>
              {isCompared ? <th className="fl-numeric">Difference</th> : null}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <FigureRow key={row.name} row={row} draft={draft.figures} saved={saved} currency={draft.currency} />
            ))}
          </tbody>
        </table>
      </TableScroll>
    </CardPanel>
  );
}

function FigureRow({ row, draft, saved, currency }: { row: Row; draft: ReplayFigures; saved: ReplayFigures | null; currency: string }) {
  const { name, value, show, difference, better } = row;
  const [is, was] = [value(draft), saved === null ? null : value(saved)];
  const by = is === null || was === null ? null : is - was;
  const tone = by === null || better === undefined ? 'flat' : toneOf(better === 'more' ? by : -by, currency);
  return (
    <tr>
      <td>{name}</td>
      {saved === null ? null : <td className="fl-numeric rules-dim">{was === null ? none : show(was, currency)}</td>}
      <td className="fl-numeric rules-strong">{is === null ? none : show(is, currency)}</td>
      {saved === null ? null : <td className={`fl-numeric fl-${tone}`}>{by === null ? none : difference(by, currency)}</td>}
    </tr>
  );
}
