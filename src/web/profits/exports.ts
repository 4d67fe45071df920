import type { CsvCell } from '../ui/csv.ts';
import { csvText } from '../ui/csv.ts';
import type { Grouping, Ledger } from './ledgers.ts';
import type { ProfitRange } from './profit-range.ts';

/** What a file is about. */
export interface ExportOf {
  ledger: Ledger;
  grouping: Grouping;
  range: ProfitRange;
}

const figureNames = ['trades', 'wins', 'losses', 'profit', 'fees', 'funding'] as const;

/** The name of a file without its ending: 'profits_live_USDT_bot_2026-11-01_2026-11-30'. */
export function exportName({ ledger, grouping, range }: ExportOf): string {
  return ['profits', ledger.mode, ledger.currency, grouping, range.from ?? 'first', range.to ?? 'today'].join('_');
}

/** The groups as the text of a CSV file, with a header; its last line is the sum of the others. */
export function exportCsv({ ledger, grouping }: ExportOf): string {
  const line = (name: string, detail: string | null, figures: Ledger['figures']): CsvCell[] => [
    ledger.mode,
    ledger.currency,
    name,
    detail,
    ...figureNames.map((figure) => (typeof figures[figure] === 'number' ? figures[figure] : { decimal: figures[figure] })),
  ];
  return csvText([
    ['mode', 'currency', grouping, 'detail', ...figureNames],
    ...ledger.groups.map((group) => line(group.name, group.detail, group)),
    line('total', null, ledger.figures),
  ]);
}

/** The groups as the text of a JSON file. Money is text, so that no digit is lost. */
export function exportJson({ ledger, grouping, range }: ExportOf): string {
  const { mode, currency, figures, days, groups } = ledger;
  return `${JSON.stringify({ mode, currency, from: range.from, to: range.to, grouped_by: grouping, total: figures, groups, days }, null, 2)}\n`;
}
