import { useState } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { formatMoment } from '../ui/moment.ts';
import { formatPnl, toneOf } from '../ui/money.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { discardDraftOf } from './draft-store.ts';
import { fieldNames, historyText } from './strategy-draft.ts';
import type { FieldName, Strategy } from './strategy-fields.ts';
import type { Version } from './use-versions.ts';
import { useVersions } from './use-versions.ts';

/** How many versions are drawn at a time. */
const versionsPerStep = 20;

/** The versions of a strategy's settings, the newest first, and the way back to an earlier one. */
export function HistorySection({ strategy, reload }: { strategy: Strategy; reload: () => Promise<void> }) {
  const state = useVersions(strategy, reload);
  const [count, setCount] = useState(versionsPerStep);
  const [asked, setAsked] = useState<{ version: Version; seen: number } | null>(null); // as both were shown: a save meanwhile is another question
  const { versions, loadFailure, restoreFailure, isRestoring } = state;
  const restore = async () => {
    if (asked !== null && (await state.restore(asked.version, asked.seen))) discardDraftOf(strategy.id);
    setAsked(null);
  };
  return (
    <CardPanel
      title="History"
      aside={versions === undefined ? '' : `${versions.length} ${versions.length === 1 ? 'version' : 'versions'}`}
      flush
    >
      {loadFailure === null ? null : (
        <div className="strategy-history-failure">
          <Banner tone="error" text="Failed to load the history. Please try again." detail={loadFailure.detail} />
          <Button variant="secondary" loading={state.isLoading} onClick={() => void state.reload()}>
            Try Again
          </Button>
        </div>
      )}
      {restoreFailure === null ? null : (
        <div className="strategy-history-failure">
          <Banner tone="error" text="The version was not restored." detail={restoreFailure.detail} />
          <Button variant="secondary" onClick={() => void state.reload()}>
            Load Newest Values
          </Button>
        </div>
      )}
      {versions === undefined && loadFailure === null ? <LoadingRows label="Loading history" rows={3} height={44} /> : null}
      {versions?.length === 0 ? (
        <EmptyState text="Nobody has changed this strategy yet" hint="Each saved change becomes a version here." />
      ) : null}
      {versions === undefined || versions.length === 0 ? null : (
        <ol className="strategy-versions" aria-label="Versions" tabIndex={0}>
          {versions.slice(0, count).map((version, index) => (
            <li key={version.version}>
              <VersionLine version={version} />
              {index === 0 ? (
                <span className="strategy-hint">in force</span>
              ) : (
                <Button
                  variant="secondary"
                  size="small"
                  aria-label={`Restore version ${version.version}`}
                  disabled={isRestoring}
                  onClick={() => setAsked({ version, seen: strategy.version })}
                >
                  Restore
                </Button>
              )}
            </li>
          ))}
        </ol>
      )}
      {versions !== undefined && versions.length > count ? (
        <div className="strategy-foot">
          <Button variant="ghost" size="small" onClick={() => setCount(count + versionsPerStep)}>
            Show More
          </Button>
        </div>
      ) : null}
      <ConfirmDialog
        opened={asked !== null}
        title="Restore Version"
        message={`Are you sure you want to restore version ${asked?.version.version ?? ''} of ${strategy.name}?`}
        confirmLabel="Restore Version"
        loading={isRestoring}
        onConfirm={() => void restore()}
        onCancel={() => {
          state.cancelRestore();
          setAsked(null);
        }}
      >
        <p className="strategy-hint">
          All its bots trade with those settings from their next decision. It becomes a new version; the integrations stay. Pending changes
          are discarded.
        </p>
      </ConfirmDialog>
    </CardPanel>
  );
}

function VersionLine({ version: { version, changed_at: at, changed_by: by, changes, trades, pnl } }: { version: Version }) {
  return (
    <div className="strategy-version">
      <p>
        <b>Version {version}</b>{' '}
        <span className="strategy-hint">
          {formatMoment(at)} UTC, {by ?? 'the server'}
        </span>
      </p>
      {changes.length > 0 ? null : <p>{version === 1 ? 'As it was installed' : 'No setting but the integrations changed'}</p>}
      {changes.map(({ field, from, to }) => (
        <p key={field} className="strategy-change">
          {fieldNames[field as FieldName] ?? field} <s>{historyText(field, from)}</s> <span aria-label="becomes">→</span>{' '}
          {historyText(field, to)}
        </p>
      ))}
      <p className="strategy-hint fl-number">
        {trades} {trades === 1 ? 'trade' : 'trades'}, <span className={`fl-${toneOf(pnl)}`}>{formatPnl(pnl)}</span>
      </p>
    </div>
  );
}
