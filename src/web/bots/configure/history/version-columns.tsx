import { Button } from '../../../ui/button.tsx';
import type { DataColumn } from '../../../ui/data-table.tsx';
import { formatPnl, toneOf } from '../../../ui/money.ts';
import { formatMoment } from '../../../ui/moment.ts';
import { notAvailable } from '../../../ui/ratio.ts';
import type { BotVersion } from './versions.ts';
import { changesText } from './versions.ts';

/** The columns of the history; every version but the `newest` can be restored. */
export function versionColumns(
  currency: string,
  newest: number,
  isBusy: boolean,
  onRestore: (version: BotVersion) => void,
): readonly DataColumn<BotVersion>[] {
  return [
    { key: 'version', title: 'Version', value: ({ version }) => version, width: 72 },
    { key: 'when', title: 'When', value: (row) => row.changed_at, show: (row) => formatMoment(row.changed_at), width: 152 },
    {
      key: 'who',
      title: 'Who',
      value: (row) => row.changed_by ?? '',
      show: (row) => <Cut text={row.changed_by ?? 'not known'} />,
      width: 160,
    },
    {
      key: 'changes',
      title: 'What Changed',
      value: changesText,
      show: (row) => <Cut text={changesText(row)} />,
      sortable: false,
      width: 260,
    },
    { key: 'trades', title: 'Trades', value: ({ trades }) => trades, numeric: true, width: 72 },
    {
      key: 'pnl',
      title: 'PNL',
      value: ({ pnl }) => pnl,
      show: ({ pnl, trades }) =>
        trades === 0 ? notAvailable : <span className={`fl-${toneOf(pnl, currency)}`}>{formatPnl(pnl, currency)}</span>,
      numeric: true,
      width: 96,
    },
    {
      key: 'restore',
      title: 'Restore',
      value: () => null,
      show: (row) =>
        row.version === newest ? (
          'in use'
        ) : (
          <Button
            variant="secondary"
            size="small"
            disabled={isBusy}
            aria-label={`Restore version ${row.version}`}
            onClick={() => onRestore(row)}
          >
            Restore
          </Button>
        ),
      sortable: false,
      width: 84,
    },
  ];
}

/** Text that may be longer than its column. */
function Cut({ text }: { text: string }) {
  return <span title={text}>{text}</span>;
}
