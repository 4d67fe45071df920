import { certifiedBotsListed } from '#contract/certificates.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { figureColumns } from './figure-columns.tsx';
import type { NewestCertificate } from './use-certificate.ts';

const columns: readonly DataColumn<NewestCertificate>[] = [
  { key: 'bot', title: 'Bot', value: ({ nickname }) => nickname },
  { key: 'day', title: 'Day', value: ({ day }) => day },
  ...figureColumns<NewestCertificate>(),
];

const first = 'first what differs or failed';
const cut = `the first ${certifiedBotsListed} bots`;

/** So high the list is at most, in px: the certificate below it stays in sight. */
const height = 206;

/** See `BotsPanel`. */
export interface BotsPanelProps {
  newest: readonly NewestCertificate[] | undefined; // undefined while they are loaded
  failure: string | null;
  isLoading: boolean;
  botId: string | null; // the one that is shown
  onRetry: () => void;
  onChoose: (of: NewestCertificate) => void;
}

/** The newest certificate of each bot, those that need a look first; one is chosen by a click. */
export function BotsPanel({ newest, failure, isLoading, botId, onRetry, onChoose }: BotsPanelProps) {
  return (
    <CardPanel title="Newest of Each Bot" flush aside={newest?.length === certifiedBotsListed ? `${cut}, ${first}` : first}>
      {failure !== null ? (
        <FailedLoad text="Failed to load the newest certificates" detail={failure} isLoading={isLoading} onRetry={onRetry} />
      ) : newest === undefined ? (
        <RowsSkeleton rows={6} />
      ) : newest.length === 0 ? (
        <EmptyState text="No bot has a certificate yet" hint="Each night a bot that ran gets one of its day." minHeight={height} />
      ) : (
        <DataTable
          label="Newest of each bot"
          columns={columns}
          rows={newest}
          rowKey={({ bot_id: id }) => id}
          maxHeight={height}
          selectedKey={botId}
          onSelect={onChoose}
        />
      )}
    </CardPanel>
  );
}
