import type { DataColumn } from '../ui/data-table.tsx';
import { formatPnl, toneOf } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import { differenceOf, stateOf } from './certificate-text.ts';
import type { CertificateFigures } from './use-certificate.ts';

/** Columns of the figures of certificates, for tables with one in each row. */
export function figureColumns<Row extends CertificateFigures>(): DataColumn<Row>[] {
  const money = (key: string, title: string, of: (row: Row) => string | null): DataColumn<Row> => ({
    key,
    title,
    numeric: true,
    value: (row) => {
      const amount = of(row);
      return amount === null ? null : Number(amount);
    },
    show: (row) => <Money amount={of(row)} currency={row.currency} />,
  });
  return [
    money('promised', 'Backtest', ({ promised }) => promised),
    money('made', 'Account', ({ made }) => made),
    money('difference', 'Difference', ({ promised, made, currency }) =>
      promised === null || made === null || currency === null ? null : differenceOf({ promised, made, currency }),
    ),
    {
      key: 'share',
      title: 'Share',
      numeric: true,
      value: ({ share }) => share,
      show: ({ share }) => (share === null ? '–' : formatRatio(share)),
    },
    {
      key: 'state',
      title: 'Result',
      value: (row) => stateOf(row),
      show: (row) => <span title={row.why ?? undefined}>{stateOf(row)}</span>,
    },
  ];
}

function Money({ amount, currency }: { amount: string | null; currency: string | null }) {
  if (amount === null || currency === null) return '–';
  return <span className={`fl-${toneOf(Number(amount), currency)}`}>{formatPnl(Number(amount), currency)}</span>;
}
