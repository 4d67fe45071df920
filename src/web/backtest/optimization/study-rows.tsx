import { CardPanel } from '../../ui/card-panel.tsx';
import type { DataColumn } from '../../ui/data-table.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { formatMoment } from '../../ui/moment.ts';
import { RowsSkeleton } from '../../ui/skeleton.tsx';
import { measureOf, measureText, statusWords, studyTitle } from './study-words.ts';
import type { StudyItem } from './use-studies.ts';
import { showStudy, useStudies } from './use-studies.ts';

const columns: readonly DataColumn<StudyItem>[] = [
  {
    key: 'what',
    title: 'Study',
    value: studyTitle,
    show: (study) => (
      <>
        {studyTitle(study)}
        <span className="bp-run-range st-of-study fl-number">
          {study.plan.from} to {study.plan.to}; {study.spaces.join(', ')}
        </span>
        <span className="bp-run-range st-of-study fl-number">
          begun {formatMoment(study.created_at).slice(0, 16)} UTC{study.is_own || study.email === null ? '' : ` by ${study.email}`}
        </span>
      </>
    ),
  },
  {
    key: 'best',
    title: 'Best',
    value: ({ best_loss: loss }) => (loss === null ? null : -loss),
    show: ({ best_loss: best, loss }) => {
      const { title, sign } = measureOf(loss);
      return best === null ? (
        '–'
      ) : (
        <>
          {measureText(best, sign)}
          <span className="bp-run-range">{title}</span>
        </>
      );
    },
    numeric: true,
  },
  {
    key: 'status',
    title: 'Status',
    value: ({ status }) => statusWords[status],
    show: ({ status, epochs, epochs_wanted: wanted }) => (
      <>
        {statusWords[status]}
        <span className="bp-run-range fl-number">{epochs === wanted ? `${epochs} tries` : `${epochs} of ${wanted}`}</span>
      </>
    ),
  },
];

/** The studies of before, newest first; one is chosen by a click. */
export function StudyRows() {
  const { data, isError, isFetching, refetch } = useStudies();
  return (
    <CardPanel title="Studies" aside={<span>newest 50</span>} flush>
      {data === undefined ? (
        isError ? (
          <FailedLoad text="Failed to load studies" isLoading={isFetching} onRetry={() => void refetch()} />
        ) : (
          <RowsSkeleton rows={6} />
        )
      ) : data.length === 0 ? (
        <EmptyState text="No studies yet" hint="Choose a strategy, pairs and what is searched, and start one." minHeight={180} />
      ) : (
        <DataTable
          label="Studies"
          columns={columns}
          rows={data}
          rowKey={({ id }) => id}
          onSelect={({ id }) => showStudy(id)}
          maxHeight={760}
        />
      )}
    </CardPanel>
  );
}
