import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { figureColumns } from './figure-columns.tsx';
import type { CertificateFigures } from './use-certificate.ts';

const columns: readonly DataColumn<CertificateFigures>[] = [
  { key: 'day', title: 'Day', value: ({ day }) => day },
  ...figureColumns<CertificateFigures>(),
];

/** See `DaysPanel`. */
export interface DaysPanelProps {
  certificates: readonly CertificateFigures[];
  day: string | null; // the one that is shown
  onChoose: (day: string) => void;
}

/** The certificates of a bot, the newest day first; one is chosen by a click. */
export function DaysPanel({ certificates, day, onChoose }: DaysPanelProps) {
  return (
    <CardPanel title="Days" flush aside={`${certificates.length} ${certificates.length === 1 ? 'certificate' : 'certificates'}`}>
      {certificates.length === 0 ? (
        <EmptyState text="No certificate yet" hint="Each night a bot that ran gets one of its day." minHeight={120} />
      ) : (
        <DataTable
          label="Days"
          columns={columns}
          rows={certificates}
          rowKey={({ day: of }) => of}
          maxHeight={270}
          selectedKey={day}
          onSelect={({ day: of }) => onChoose(of)}
        />
      )}
    </CardPanel>
  );
}
